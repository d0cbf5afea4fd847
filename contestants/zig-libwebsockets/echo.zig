//! Exchanges echoes with libwebsockets.

const std = @import("std");
const kit = @import("kit");
const connections = @import("connections.zig");

const allocator = connections.allocator;
var exchanger: kit.Exchanger = undefined;

pub fn exchange(output: *std.Io.Writer) !void {
    const settings = try kit.readOrExit(kit.EchoSettings, kit.EchoSettings.read, allocator);
    exchanger = .{ .settings = settings, .output = output };
    const clients = try allocator.alloc(Client, settings.connections);
    @memset(clients, .{});
    try connections.run(Client, settings.url, clients);
    try exchanger.finish();
}

const Client = struct {
    connection: connections.Connection = .{},

    pub fn opened(self: *Client) !void {
        exchanger.opened();
        self.connection.wantToWrite();
    }

    pub fn received(self: *Client, message: []const u8, is_binary: bool) !void {
        if (exchanger.answered(message, is_binary)) {
            self.connection.wantToWrite();
        } else {
            self.connection.close();
        }
    }

    pub fn writable(self: *Client) !void {
        try self.connection.write(exchanger.settings.payload);
    }

    pub fn timer(_: *Client) !void {}

    pub fn closed(self: *Client) void {
        if (!self.connection.is_closing) connections.fail("closed by the server");
    }
};
