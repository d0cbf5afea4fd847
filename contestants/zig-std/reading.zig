//! Reads messages of any number of fragments: the library reads only messages of one frame.

const std = @import("std");
const kit = @import("kit");

const WebSocket = std.http.Server.WebSocket;

pub const Messages = struct {
    allocator: std.mem.Allocator,
    websocket: *WebSocket,
    fragments: std.ArrayList(u8) = .empty,
    /// Type of the fragmented message that is being read; null between messages.
    opcode: ?WebSocket.Opcode = null,

    pub fn deinit(self: *Messages) void {
        self.fragments.deinit(self.allocator);
    }

    /// Returns the next message, or a ping. It is valid until the next call.
    pub fn next(self: *Messages) !WebSocket.SmallMessage {
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
            try self.fragments.appendSlice(self.allocator, fragment.data);
            if (self.fragments.items.len > kit.PAYLOAD_BYTES_MAX) return error.TooLong;
            if (!header.fin) continue;
            self.opcode = null;
            return .{ .opcode = opcode, .data = self.fragments.items };
        }
    }
};
