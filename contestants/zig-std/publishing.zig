//! Passes messages on to subscribers, each of which has a queue and a thread that writes what waits
//! in it.

const std = @import("std");
const kit = @import("kit");
const Connection = @import("connection.zig").Connection;

var subscribers: kit.Subscribers = .{ .allocator = std.heap.smp_allocator };

pub fn publish(connection: *Connection) anyerror!void {
    while (true) {
        const message = try connection.next();
        try subscribers.send(message.opcode, message.data);
    }
}

pub fn subscribe(connection: *Connection) anyerror!void {
    var subscriber: kit.Subscriber = .{ .socket = connection.socket };
    try subscribers.join(&subscriber);
    defer subscribers.leave(&subscriber);
    const writing = try std.Thread.spawn(.{}, write, .{ connection, &subscriber });
    defer writing.join();
    defer subscribers.end(&subscriber);
    while (true) _ = try connection.next();
}

fn write(connection: *Connection, subscriber: *kit.Subscriber) void {
    var queue: kit.Queue = .empty;
    defer queue.deinit(subscribers.allocator);
    while (subscribers.take(subscriber, &queue)) {
        defer subscribers.release(&queue);
        connection.writeAll(queue.items) catch return subscribers.end(subscriber);
    }
}
