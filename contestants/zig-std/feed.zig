//! Sends a feed with std.http.Server: each subscriber has a thread that sends and one that reads.

const std = @import("std");
const kit = @import("kit");
const Messages = @import("reading.zig").Messages;

const WebSocket = std.http.Server.WebSocket;
const CODE_1000 = "\x03\xe8";

/// Sends a subscriber its messages; returns when its connection has ended.
pub fn subscribe(subscribers: *kit.Subscribers, websocket: *WebSocket, stream: std.net.Stream) !void {
    const subscriber = try subscribers.join();
    defer subscribers.free(subscriber);
    errdefer subscribers.leave(subscriber);
    const listening = try std.Thread.spawn(.{}, listen, .{ subscribers, subscriber, websocket });
    send(subscribers, subscriber, websocket) catch {
        // The connection is broken. The shutdown ends the reading thread as well.
        std.posix.shutdown(stream.handle, .both) catch {};
    };
    listening.join();
}

fn send(subscribers: *kit.Subscribers, subscriber: *kit.Subscriber, websocket: *WebSocket) !void {
    const allocator = subscribers.allocator;
    var messages: std.ArrayList(*kit.Message) = .empty;
    defer messages.deinit(allocator);
    while (true) {
        subscribers.take(subscriber, &messages);
        defer {
            for (messages.items) |message| message.release(allocator);
            messages.clearRetainingCapacity();
        }
        if (messages.items.len == 0) break;
        for (messages.items) |message| {
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

fn listen(subscribers: *kit.Subscribers, subscriber: *kit.Subscriber, websocket: *WebSocket) void {
    defer subscribers.leave(subscriber);
    var messages: Messages = .{ .allocator = subscribers.allocator, .websocket = websocket };
    defer messages.deinit();
    while (true) {
        const message = messages.next() catch return;
        if (message.opcode == .ping) subscribers.answerPing(subscriber, message.data) catch return;
    }
}
