//! Bots with libwebsockets.

const std = @import("std");
const kit = @import("kit");
const connections = @import("connections.zig");

const allocator = connections.allocator;
var bots: kit.Bots = undefined;
var players: []Player = &.{};

pub fn sendWhenDue(output: *std.Io.Writer) !void {
    const settings = try kit.readOrExit(kit.BotSettings, kit.BotSettings.read, allocator);
    bots = .init(allocator, settings, output);
    players = try allocator.alloc(Player, settings.echo.connections);
    @memset(players, .{});
    try connections.play(Player, settings.echo.url, players);
    try bots.finish();
}

const Player = struct {
    connection: connections.Connection = .{},
    bot: ?*kit.Bot = null,

    pub fn opened(self: *Player) !void {
        self.bot = try bots.opened();
        if (bots.start_ns == null) return;
        for (players) |*player| player.connection.wantToWrite();
    }

    pub fn received(self: *Player, message: []const u8, is_binary: bool) !void {
        const is_last = try self.bot.?.answered(message, is_binary);
        if (is_last) self.connection.wantToWrite();
    }

    pub fn writable(self: *Player) !void {
        switch (try self.bot.?.next()) {
            .send => |text| {
                try self.connection.write(text);
                self.connection.wantToWrite();
            },
            .wait_ns => |delay_ns| if (delay_ns) |delay| self.connection.setTimer(delay),
            .close => self.connection.close(),
        }
    }

    pub fn timer(self: *Player) !void {
        self.connection.wantToWrite();
    }

    pub fn closed(self: *Player) void {
        if (!self.connection.is_closing) connections.fail("closed by the server");
    }
};
