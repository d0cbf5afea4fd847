//! Echoes messages and sends a feed with std.http.Server.

const std = @import("std");
const kit = @import("kit");
const echo = @import("echo.zig").echo;
const feed = @import("feed.zig");

const allocator = std.heap.smp_allocator;
var output_buffer: [4096]u8 = undefined;
var output = std.fs.File.stdout().writer(&output_buffer);
var subscribers: ?kit.Subscribers = null;

pub fn main() !void {
    const settings: kit.ServerSettings = try .fromEnvironment(allocator);
    if (settings.feed) |given|
        subscribers = .{ .allocator = allocator, .settings = given, .output = &output.interface };
    kit.runWorkers(allocator, settings.workers, settings, serve) catch |err| {
        std.debug.print("cannot serve on {s}:{d}: {t}\n", .{ settings.host, settings.port, err });
        std.process.exit(1);
    };
}

fn serve(settings: kit.ServerSettings) anyerror!void {
    const address: std.net.Address = try .parseIp(settings.host, settings.port);
    var listener = try address.listen(.{ .reuse_address = true });
    while (true) {
        const connection = listener.accept() catch |err| switch (err) {
            error.ConnectionAborted => continue,
            else => return err,
        };
        (try std.Thread.spawn(.{}, handle, .{connection.stream})).detach();
    }
}

/// Serves one connection. Its errors do not affect other connections.
fn handle(stream: std.net.Stream) void {
    defer stream.close();
    answer(stream) catch |err| std.log.info("a connection has ended: {t}", .{err});
}

fn answer(stream: std.net.Stream) !void {
    // The library accepts messages that fit into its buffer; the contract requires 16 MiB.
    const input_buffer = try std.heap.page_allocator.alloc(u8, kit.PAYLOAD_BYTES_MAX);
    defer std.heap.page_allocator.free(input_buffer);
    var stream_buffer: [16 * 1024]u8 = undefined;
    var reader = stream.reader(input_buffer);
    var writer = stream.writer(&stream_buffer);

    var http: std.http.Server = .init(reader.interface(), &writer.interface);
    var request = try http.receiveHead();
    const is_feed = std.mem.eql(u8, request.head.target, "/feed");
    const key = switch (request.upgradeRequested()) {
        .websocket => |key| key orelse return error.NoKey,
        else => return request.respond("", .{ .status = .upgrade_required }),
    };
    var websocket = try request.respondWebSocket(.{ .key = key });
    try websocket.flush();
    if (!is_feed) return echo(allocator, &websocket);
    if (subscribers) |*joined| try feed.subscribe(joined, &websocket, stream);
}
