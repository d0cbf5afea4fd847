//! Reads the environment variables of a client: docs/contract.md, sections 3, 5 and 7.

const std = @import("std");
const feed = @import("feed.zig");
const variables = @import("variables.zig");

const COUNT_MAX = std.math.maxInt(u64);

pub const Workload = enum { receive, echo };
pub const Lines = enum { json, autoroute };

/// Reads the client's workload.
pub fn readWorkload(from: *variables.Variables) variables.Error!Workload {
    return from.readChoice(Workload, "WORKLOAD");
}

/// The server's address. The texts end with a zero byte, for libraries in C.
pub const Url = struct {
    text: []const u8,
    host: [:0]const u8,
    port: u16,
    target: [:0]const u8,

    fn read(from: *variables.Variables) variables.Error!Url {
        const text = try from.read("URL", null);
        return parse(from.allocator, text) catch |err| switch (err) {
            error.OutOfMemory => error.OutOfMemory,
            else => from.wrong(
                "URL must be like ws://127.0.0.1:8008/1000, not {f}",
                .{variables.quoted(text)},
            ),
        };
    }

    fn parse(allocator: std.mem.Allocator, text: []const u8) !Url {
        const uri = try std.Uri.parse(text);
        if (!std.mem.eql(u8, uri.scheme, "ws")) return error.NotWebSocket;
        const host = try (uri.host orelse return error.NoHost).toRawMaybeAlloc(allocator);
        if (host.len == 0) return error.NoHost;
        const authority_end = std.mem.indexOfScalarPos(u8, text, "ws://".len, '/');
        const target = if (authority_end) |at| text[at..] else "/";
        return .{
            .text = text,
            .host = try allocator.dupeZ(u8, host),
            .port = uri.port orelse 80,
            .target = try allocator.dupeZ(u8, target),
        };
    }
};

/// Settings of a client that receives.
pub const ReceiverSettings = struct {
    url: Url,
    /// Messages per connection; null: until the server closes.
    messages: ?u64,
    connections: u64 = 1,
    lines: Lines = .json,
    feed: ?feed.FeedFormat = null,

    pub fn read(from: *variables.Variables) variables.Error!ReceiverSettings {
        const of_feed = try feed.FeedFormat.read(from);
        const is_unlimited = of_feed != null and !from.isSet("MESSAGES");
        return .{
            .url = try .read(from),
            .messages = if (is_unlimited) null else try from.readCount("MESSAGES", null, COUNT_MAX),
            .connections = try from.readCount("CONNECTIONS", "1", COUNT_MAX),
            .lines = if (of_feed == null) try from.readChoice(Lines, "LINES") else .json,
            .feed = of_feed,
        };
    }
};

/// Settings of a client that exchanges echoes.
pub const EchoSettings = struct {
    url: Url,
    connections: u64 = 1,
    payload: []const u8,
    warm_up_ns: u64 = 0,
    window_ns: u64,

    pub fn read(from: *variables.Variables) variables.Error!EchoSettings {
        return .{
            .url = try .read(from),
            .connections = try from.readCount("CONNECTIONS", "1", COUNT_MAX),
            .payload = try from.read("PAYLOAD", "hello world"),
            .warm_up_ns = try from.readSecondsNs("WARM_UP_S", "0"),
            .window_ns = try from.readTimeNs("WINDOW_S"),
        };
    }
};
