//! Feeds an audience with std.http.Server: a member has a thread that sends, and one that listens.

const std = @import("std");
const kit = @import("kit");
const Messages = @import("reading.zig").Messages;

const WebSocket = std.http.Server.WebSocket;
const CODE_1000 = "\x03\xe8";

/// Sends a member its messages, and returns when its connection has ended.
pub fn attend(audience: *kit.Audience, websocket: *WebSocket, stream: std.net.Stream) !void {
    const member = try audience.join();
    defer audience.free(member);
    errdefer audience.leave(member);
    const listening = try std.Thread.spawn(.{}, listen, .{ audience, member, websocket });
    send(audience, member, websocket) catch {
        // The connection is broken. Now who listens notices as well.
        std.posix.shutdown(stream.handle, .both) catch {};
    };
    listening.join();
}

fn send(audience: *kit.Audience, member: *kit.Member, websocket: *WebSocket) !void {
    const allocator = audience.allocator;
    var taken: std.ArrayList(*kit.Message) = .empty;
    defer taken.deinit(allocator);
    while (true) {
        audience.take(member, &taken);
        defer {
            for (taken.items) |message| message.letGo(allocator);
            taken.clearRetainingCapacity();
        }
        if (taken.items.len == 0) break;
        for (taken.items) |message| {
            const opcode: WebSocket.Opcode = switch (message.kind) {
                .text => .text,
                .binary => .binary,
                .pong => .pong,
            };
            try websocket.writeMessageUnflushed(message.bytes, opcode);
        }
        try websocket.flush();
    }
    try websocket.writeMessage(CODE_1000, .connection_close);
}

fn listen(audience: *kit.Audience, member: *kit.Member, websocket: *WebSocket) void {
    defer audience.leave(member);
    var messages: Messages = .{ .allocator = audience.allocator, .websocket = websocket };
    defer messages.deinit();
    while (true) {
        const message = messages.next() catch return;
        if (message.opcode == .ping) audience.answerPing(member, message.data) catch return;
    }
}
