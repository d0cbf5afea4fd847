//! Reads the environment variables of a server: docs/contract.md, section 8.

const std = @import("std");
const feed = @import("feed.zig");
const variables = @import("variables.zig");

/// Largest payload that a server must accept, whatever the default of its library.
pub const PAYLOAD_BYTES_MAX = 16 * 1024 * 1024;

const PORT_MAX = 65_535;
const STOCKS_MAX = 1_000_000;
const FILE_BYTES_MAX = 1 << 30;
const COUNT_MAX = std.math.maxInt(u64);

pub const FeedSettings = struct {
    format: feed.FeedFormat,
    stocks: u64 = 1,
    stocks_file: ?[]const u8 = null,
    subscribers: u64 = 1,
    /// Interval between messages, in nanoseconds; null: continuous.
    every_ns: ?u64 = null,
    duration_ns: ?u64 = null,
    messages: ?u64 = null,

    /// Reads the variables of a feed; returns null if FEED is not set.
    pub fn read(from: *variables.Variables) variables.Error!?FeedSettings {
        const format = try feed.FeedFormat.read(from) orelse return null;
        const is_timed = from.isSet("SECONDS");
        if (is_timed == from.isSet("MESSAGES")) {
            return from.wrong("MESSAGES or SECONDS: set exactly one of them", .{});
        }
        const settings: FeedSettings = .{
            .format = format,
            .stocks = try from.readCount("STOCKS", "1", STOCKS_MAX),
            .stocks_file = if (format.kind == .stocks) try from.read("STOCKS_FILE", null) else null,
            .subscribers = try from.readCount("SUBSCRIBERS", "1", COUNT_MAX),
            .every_ns = if (from.isSet("EVERY_MS")) try from.readIntervalNs() else null,
            .duration_ns = if (is_timed) try from.readTimeNs("SECONDS") else null,
            .messages = if (is_timed) null else try from.readCount("MESSAGES", null, COUNT_MAX),
        };
        const stocks = settings.stocksOfMessage(from.allocator, 0) catch |err|
            return from.wrong("STOCKS_FILE {?s}: {t}", .{ settings.stocks_file, err });
        from.allocator.free(stocks);
        return settings;
    }

    /// Reads the file again and returns the records of a message: docs/contract.md, clause 7.1.
    pub fn stocksOfMessage(
        self: *const FeedSettings,
        allocator: std.mem.Allocator,
        number: u64,
    ) ![]feed.Stock {
        const path = self.stocks_file orelse return &.{};
        const text = try std.fs.cwd().readFileAlloc(allocator, path, FILE_BYTES_MAX);
        defer allocator.free(text);
        const rows = try feed.parseStocks(allocator, text);
        defer allocator.free(rows);
        const stocks = try allocator.alloc(feed.Stock, self.stocks);
        for (stocks, 0..) |*stock, index| stock.* = rows[(number + index) % rows.len];
        return stocks;
    }
};

pub const ServerSettings = struct {
    host: []const u8,
    port: u16,
    workers: u64,
    feed: ?FeedSettings,

    /// Reads the environment variables, or ends the program with status 2 and the reason.
    pub fn fromEnvironment(allocator: std.mem.Allocator) !ServerSettings {
        return variables.readOrExit(ServerSettings, read, allocator);
    }

    pub fn read(from: *variables.Variables) variables.Error!ServerSettings {
        return .{
            .host = try from.read("HOST", "127.0.0.1"),
            .port = @intCast(try from.readCount("PORT", null, PORT_MAX)),
            .workers = try from.readCount("WORKERS", "1", COUNT_MAX),
            .feed = try FeedSettings.read(from),
        };
    }
};
