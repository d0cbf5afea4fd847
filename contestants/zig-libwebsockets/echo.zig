//! Exchanges echoes with libwebsockets.

const std = @import("std");
const kit = @import("kit");
const connections = @import("connections.zig");

const allocator = connections.allocator;
var exchanger: kit.Exchanger = undefined;

pub fn exchange(output: *std.Io.Writer) !void {
    const settings = try kit.readOrExit(kit.EchoSettings, kit.EchoSettings.read, allocator);
    exchanger = .{ .settings = settings, .output = output };
    const players = try allocator.alloc(Player, settings.connections);
    @memset(players, .{});
    try connections.play(Player, settings.url, players);
    try exchanger.finish();
}

const Player = struct {
    connection: connections.Connection = .{},

    pub fn opened(self: *Player) !void {
        exchanger.opened();
        self.connection.wantToWrite();
    }

    pub fn received(self: *Player, message: []const u8, is_binary: bool) !void {
        if (exchanger.answered(message, is_binary)) {
            self.connection.wantToWrite();
        } else {
            self.connection.close();
        }
    }

    pub fn writable(self: *Player) !void {
        try self.connection.write(exchanger.settings.payload);
    }

    pub fn timer(_: *Player) !void {}

    pub fn closed(self: *Player) void {
        if (!self.connection.is_closing) connections.fail("closed by the server");
    }
};
