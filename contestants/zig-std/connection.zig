//! One connection: it reads messages of any number of fragments, where the library reads only
//! messages of one frame, and answers control frames, which the library leaves to the program.

const std = @import("std");
const kit = @import("kit");

const WebSocket = std.http.Server.WebSocket;
const allocator = std.heap.smp_allocator;
const CODE_1000 = "\x03\xe8";

pub const Connection = struct {
    socket: std.posix.socket_t,
    websocket: WebSocket,
    fragments: std.ArrayList(u8) = .empty,
    /// Type of the fragmented message that is being read; null between messages.
    opcode: ?WebSocket.Opcode = null,
    /// Held while writing, because a subscriber has two threads that write.
    lock: std.Thread.Mutex = .{},
    is_closed: bool = false,

    pub fn deinit(self: *Connection) void {
        self.fragments.deinit(allocator);
    }

    /// Returns the next message. It is valid until the next call.
    pub fn next(self: *Connection) !WebSocket.SmallMessage {
        while (true) {
            const message = self.read() catch |err| {
                if (err == error.ConnectionClose) try self.answer(CODE_1000, .connection_close);
                return err;
            };
            if (message.opcode != .ping) return message;
            try self.answer(message.data, .pong);
        }
    }

    /// Writes messages of publishers.
    pub fn writeAll(self: *Connection, messages: []const *kit.Message) !void {
        self.lock.lock();
        defer self.lock.unlock();
        if (self.is_closed) return error.ConnectionClose;
        for (messages) |message|
            try self.websocket.writeMessageUnflushed(message.bytes, message.opcode);
        try self.websocket.flush();
    }

    fn answer(self: *Connection, payload: []const u8, opcode: WebSocket.Opcode) !void {
        self.lock.lock();
        defer self.lock.unlock();
        self.is_closed = opcode == .connection_close;
        try self.websocket.writeMessage(payload, opcode);
    }

    /// Reads the next message, or a ping.
    fn read(self: *Connection) !WebSocket.SmallMessage {
        const input = self.websocket.input;
        if (self.opcode == null) self.fragments.clearRetainingCapacity();
        while (true) {
            // Otherwise the data would move through the whole buffer, and touch more memory.
            if (input.bufferedLen() == 0) input.seek, input.end = .{ 0, 0 };
            const first = &(try input.peekArray(1))[0];
            const header: WebSocket.Header0 = @bitCast(first.*);
            switch (header.opcode) {
                .text, .binary => {
                    if (header.fin) return self.websocket.readSmallMessage();
                    self.opcode = header.opcode;
                },
                // The library would skip to the next frame, which may be a fragment.
                .continuation, .pong => {},
                else => return self.websocket.readSmallMessage(),
            }
            // Rewritten to look like a message of one frame, which the library can read.
            first.* = @bitCast(WebSocket.Header0{ .opcode = .binary, .fin = true });
            const fragment = try self.websocket.readSmallMessage();
            if (header.opcode == .pong) continue;
            const opcode = self.opcode orelse return error.UnexpectedOpCode;
            try self.fragments.appendSlice(allocator, fragment.data);
            if (self.fragments.items.len > kit.MESSAGE_BYTES_MAX) return error.TooLong;
            if (!header.fin) continue;
            self.opcode = null;
            return .{ .opcode = opcode, .data = self.fragments.items };
        }
    }
};
