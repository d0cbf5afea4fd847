//! Receives with LIBRARY.

const std = @import("std");
const kit = @import("kit");

const allocator = std.heap.smp_allocator;
var output_buffer: [64 * 1024]u8 = undefined;
var output = std.fs.File.stdout().writer(&output_buffer);

pub fn main() !void {
    const settings = try kit.readOrExit(kit.ReceiverSettings, kit.ReceiverSettings.read, allocator);
    var receiver: kit.Receiver = try .init(allocator, settings, &output.interface);
    const clients = try allocator.alloc(Client, settings.connections);
    for (clients) |*client| client.* = .{ .receiver = &receiver };
    try run(settings.url, clients);
    try receiver.finish();
}

/// Connects all clients and returns when all connections are closed. The kit is not thread-safe: one event
/// loop, on one thread, calls all clients.
fn run(url: kit.Url, clients: []Client) !void {
    // LIBRARY: open a connection to url for each client, without compression, for messages of up to 16 MiB.
    // LIBRARY: call opened, received, and tick after the delay that it returned.
    std.debug.print("client.zig lacks the calls of the library: {s}:{d}\n", .{ url.host, url.port });
    _ = clients;
    std.process.exit(1);
}

const Client = struct {
    receiver: *kit.Receiver,
    connection: ?*kit.Connection = null,

    pub fn opened(self: *Client) !void {
        self.connection = try self.receiver.opened();
    }

    pub fn received(self: *Client, message: []const u8, is_binary: bool) !void {
        if (try self.connection.?.received(message, is_binary)) {
            // LIBRARY: start the closing handshake with code 1000.
        }
    }

    /// Prints the second that has ended. Returns the delay until the next call, in nanoseconds.
    pub fn tick(self: *Client) !?u64 {
        return self.receiver.tick();
    }
};
