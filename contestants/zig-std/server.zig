//! Serves with std.http.Server, as its documentation shows: receiveHead, respondWebSocket,
//! readSmallMessage and writeMessage, in a thread for each connection.

const std = @import("std");
const kit = @import("kit");
const Connection = @import("connection.zig").Connection;
const publishing = @import("publishing.zig");

const PATHS = std.StaticStringMap(*const fn (*Connection) anyerror!void).initComptime(.{
    .{ "/echo", &echo },
    .{ "/publish", &publishing.publish },
    .{ "/subscribe", &publishing.subscribe },
});

pub fn main() !void {
    const server = kit.Server.read();
    // Otherwise the port of a server that has just ended cannot be used.
    var listener = try server.address.listen(.{ .reuse_address = true });
    while (true) {
        const connection = listener.accept() catch |err|
            if (err == error.ConnectionAborted) continue else return err;
        (try std.Thread.spawn(.{}, handle, .{connection.stream})).detach();
    }
}

fn handle(stream: std.net.Stream) void {
    defer stream.close();
    answer(stream) catch {}; // The errors of a connection do not affect others.
}

fn answer(stream: std.net.Stream) !void {
    // The library accepts messages that fit into its buffer; the contract requires 16 MiB.
    const input_buffer = try std.heap.page_allocator.alloc(u8, kit.MESSAGE_BYTES_MAX);
    defer std.heap.page_allocator.free(input_buffer);
    var output_buffer: [16 * 1024]u8 = undefined;
    var reader = stream.reader(input_buffer);
    var writer = stream.writer(&output_buffer);

    var http: std.http.Server = .init(reader.interface(), &writer.interface);
    var request = try http.receiveHead();
    const work = PATHS.get(request.head.target) orelse
        return request.respond("", .{ .status = .not_found });
    const key = switch (request.upgradeRequested()) {
        .websocket => |key| key orelse return error.NoKey,
        else => return request.respond("", .{ .status = .upgrade_required }),
    };
    const websocket = try request.respondWebSocket(.{ .key = key });
    var connection: Connection = .{ .socket = stream.handle, .websocket = websocket };
    defer connection.deinit();
    try connection.websocket.flush();
    try work(&connection);
}

fn echo(connection: *Connection) anyerror!void {
    while (true) {
        const message = try connection.next();
        try connection.websocket.writeMessage(message.data, message.opcode);
    }
}
