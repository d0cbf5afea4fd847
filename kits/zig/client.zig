//! Reads the settings of a client, counts its messages and prints its result: docs/contract.md,
//! section 3.

const std = @import("std");
const variables = @import("variables.zig");

const COUNT_MAX = std.math.maxInt(u64);

/// What a client does after a message.
pub const Action = enum {
    /// It receives the next message.
    receive,
    /// It sends the message back.
    reply,
    /// It starts the closing handshake with code 1000.
    close,
};

/// The server's address. The texts end with a zero byte, for libraries in C.
pub const Url = struct {
    is_secure: bool,
    /// Host, and port if there is one.
    authority: [:0]const u8,
    host: [:0]const u8,
    port: u16,
    target: [:0]const u8,

    pub fn parse(allocator: std.mem.Allocator, text: []const u8) !Url {
        const uri = try std.Uri.parse(text);
        const is_secure = std.mem.eql(u8, uri.scheme, "wss");
        if (!is_secure and !std.mem.eql(u8, uri.scheme, "ws")) return error.NotWebSocket;
        const host = try (uri.host orelse return error.NoHost).toRawMaybeAlloc(allocator);
        if (host.len == 0) return error.NoHost;
        const rest = text[uri.scheme.len + "://".len ..];
        const end = std.mem.indexOfScalar(u8, rest, '/') orelse rest.len;
        const default_port: u16 = if (is_secure) 443 else 80;
        return .{
            .is_secure = is_secure,
            .authority = try allocator.dupeZ(u8, rest[0..end]),
            .host = try allocator.dupeZ(u8, host),
            .port = uri.port orelse default_port,
            .target = try allocator.dupeZ(u8, if (end < rest.len) rest[end..] else "/"),
        };
    }
};

/// A client, whose connections belong to one thread. Call `opened` for each connection, `received`
/// on the returned connection for each message, and `finish` when all connections have ended.
pub const Client = struct {
    allocator: std.mem.Allocator,
    url: Url,
    connections: u64,
    is_replying: bool,
    /// Messages of each connection.
    messages: u64,
    all: std.ArrayList(*Connection) = .empty,
    opened_ns: u64 = 0,

    /// Reads the environment variables, or ends the program with status 2 and the reason.
    pub fn read(allocator: std.mem.Allocator) Client {
        const verb = variables.get("VERB") orelse "count";
        const is_replying = std.mem.eql(u8, verb, "reply");
        if (!is_replying and !std.mem.eql(u8, verb, "count"))
            variables.refuse("VERB", "count or reply", .{});
        return .{
            .allocator = allocator,
            .url = Url.parse(allocator, variables.get("URL") orelse "") catch
                variables.refuse("URL", "an address such as ws://host:port/path", .{}),
            .connections = variables.readCount("CONNECTIONS", 1, COUNT_MAX),
            .is_replying = is_replying,
            .messages = variables.readCount("MESSAGES", COUNT_MAX, COUNT_MAX),
        };
    }

    /// Must be called as soon as the library reports that a connection is open.
    pub fn opened(self: *Client) !*Connection {
        const connection = try self.allocator.create(Connection);
        connection.* = .{ .client = self };
        try self.all.append(self.allocator, connection);
        if (self.all.items.len == 1) self.opened_ns = nowNs();
        return connection;
    }

    /// Prints the result on stdout.
    pub fn finish(self: *const Client) !void {
        var messages: u64 = 0;
        var received_ns: u64 = 0;
        for (self.all.items) |connection| {
            messages += connection.messages;
            received_ns = @max(received_ns, connection.received_ns orelse std.math.maxInt(u64));
        }
        var buffer: [512]u8 = undefined;
        var output = std.fs.File.stdout().writer(&buffer);
        try output.interface.print("{f}\n", .{std.json.fmt(.{
            .event = "result",
            .connections = self.all.items.len,
            .messages = messages,
            .opened_ns = self.opened_ns,
            .received_ns = @min(received_ns, nowNs()),
        }, .{})});
        try output.interface.flush();
    }
};

/// Counts the messages of one connection.
pub const Connection = struct {
    client: *const Client,
    messages: u64 = 0,
    /// Instant of the last message wanted; null before that. Other messages are not timed.
    received_ns: ?u64 = null,

    /// Counts a message; returns what to do then.
    pub fn received(self: *Connection) Action {
        const client = self.client;
        if (client.is_replying) {
            self.messages += 1;
            return .reply;
        }
        // The library may deliver more while the connection closes.
        if (self.messages == client.messages) return .receive;
        self.messages += 1;
        if (self.messages < client.messages) return .receive;
        self.received_ns = nowNs();
        return .close;
    }
};

/// Returns the time of CLOCK_MONOTONIC.
fn nowNs() u64 {
    const now = std.posix.clock_gettime(.MONOTONIC) catch unreachable; // Never fails on Linux.
    return @as(u64, @intCast(now.sec)) * std.time.ns_per_s + @as(u64, @intCast(now.nsec));
}
