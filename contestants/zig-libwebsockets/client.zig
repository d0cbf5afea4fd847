//! Receives messages with libwebsockets.

const std = @import("std");
const kit = @import("kit");
const connections = @import("connections.zig");
const echo = @import("echo.zig");

const allocator = connections.allocator;
var output_buffer: [64 * 1024]u8 = undefined;
var output = std.fs.File.stdout().writer(&output_buffer);
var receiver: kit.Receiver = undefined;

pub fn main() !void {
    switch (try kit.readOrExit(kit.Workload, kit.readWorkload, allocator)) {
        .receive => try receive(),
        .echo => try echo.exchange(&output.interface),
    }
}

fn receive() !void {
    const settings = try kit.readOrExit(kit.ReceiverSettings, kit.ReceiverSettings.read, allocator);
    receiver = try .init(allocator, settings, &output.interface);
    const clients = try allocator.alloc(Client, settings.connections);
    @memset(clients, .{});
    try connections.run(Client, settings.url, clients);
    try receiver.finish();
}

const Client = struct {
    connection: connections.Connection = .{},
    counting: ?*kit.Connection = null,

    pub fn opened(self: *Client) !void {
        self.counting = try receiver.opened();
        try self.timer();
    }

    pub fn received(self: *Client, message: []const u8, is_binary: bool) !void {
        if (try self.counting.?.received(message, is_binary)) self.connection.close();
    }

    /// Prints the second that has ended.
    pub fn timer(self: *Client) !void {
        if (try receiver.tick()) |delay_ns| self.connection.setTimer(delay_ns);
    }

    pub fn writable(_: *Client) !void {}

    pub fn closed(_: *Client) void {}
};
