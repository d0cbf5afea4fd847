//! Tests with the test vectors that all kits share.

const std = @import("std");
const feed = @import("feed.zig");
const latency = @import("latency.zig");
const sequence = @import("sequence.zig");
const serving = @import("serving.zig");

const testing = std.testing;

const Vectors = struct {
    feeds: []const FeedCase,
    wrong: []const WrongCase,
    sequences: []const SequenceCase,
    roundings: []const [2][]const u8,
};

const FeedCase = struct {
    kind: feed.Kind,
    encoding: feed.Encoding,
    number: u64,
    time_ns: u64,
    stocks: u64,
    text: ?[]const u8 = null,
    hex: ?[]const u8 = null,
};

const WrongCase = struct {
    kind: feed.Kind,
    encoding: feed.Encoding,
    text: ?[]const u8 = null,
    hex: ?[]const u8 = null,
};

const SequenceCase = struct {
    name: []const u8,
    numbers: []const u64,
    verdicts: []const sequence.Verdict,
    counts: sequence.Counts,
};

/// The test vectors, and an arena for the allocations of a test.
const Bench = struct {
    arena: std.heap.ArenaAllocator,
    vectors: Vectors,

    fn init() !Bench {
        var arena: std.heap.ArenaAllocator = .init(testing.allocator);
        errdefer arena.deinit();
        const allocator = arena.allocator();
        const text = try std.fs.cwd().readFileAlloc(allocator, "../vectors.json", 1 << 20);
        const vectors = try std.json.parseFromSliceLeaky(Vectors, allocator, text, .{});
        return .{ .arena = arena, .vectors = vectors };
    }

    fn deinit(self: *Bench) void {
        self.arena.deinit();
    }

    /// Returns the message of a test vector.
    fn messageOf(self: *Bench, given: anytype) ![]const u8 {
        if (given.text) |text| return text;
        const bytes = try self.arena.allocator().alloc(u8, given.hex.?.len / 2);
        return std.fmt.hexToBytes(bytes, given.hex.?);
    }
};

test "a message is encoded and decoded" {
    var bench: Bench = try .init();
    defer bench.deinit();
    const allocator = bench.arena.allocator();
    for (bench.vectors.feeds) |given| {
        const format: feed.FeedFormat = .{ .kind = given.kind, .encoding = given.encoding };
        const settings: serving.FeedSettings = .{
            .format = format,
            .stocks = given.stocks,
            .stocks_file = if (given.kind == .stocks) "../stocks.csv" else null,
        };
        const stocks = try settings.stocksOfMessage(allocator, given.number);
        const expected = try bench.messageOf(given);
        var written: std.Io.Writer.Allocating = .init(allocator);
        try format.encode(
            &written.writer,
            .{ .number = given.number, .time_ns = given.time_ns },
            stocks,
        );
        try testing.expectEqualStrings(expected, written.written());
        const heading = try format.decode(expected, given.text == null);
        try testing.expectEqual(if (format.hasNumber()) given.number else null, heading.number);
        try testing.expectEqual(if (format.hasInstant()) given.time_ns else null, heading.time_ns);
    }
}

test "a message that is not of the feed is wrong" {
    var bench: Bench = try .init();
    defer bench.deinit();
    for (bench.vectors.wrong) |given| {
        const format: feed.FeedFormat = .{ .kind = given.kind, .encoding = given.encoding };
        const message = try bench.messageOf(given);
        try testing.expectError(error.WrongMessage, format.decode(message, given.text == null));
    }
}

test "numbers get their verdicts" {
    var bench: Bench = try .init();
    defer bench.deinit();
    for (bench.vectors.sequences) |given| {
        var judged: sequence.Sequence = .{};
        for (given.numbers, given.verdicts) |number, verdict| {
            try testing.expectEqual(verdict, judged.check(number));
        }
        try testing.expectEqual(given.counts, judged.counts);
    }
}

test "latencies are rounded" {
    var bench: Bench = try .init();
    defer bench.deinit();
    for (bench.vectors.roundings) |given| {
        const latency_ns = try std.fmt.parseInt(u64, given[0], 10);
        var latencies: latency.Latencies = .{};
        defer latencies.deinit(testing.allocator);
        try latencies.record(testing.allocator, latency_ns);
        var line: [64]u8 = undefined;
        var expected: [64]u8 = undefined;
        try testing.expectEqualStrings(
            try std.fmt.bufPrint(&expected, "{{\"{s}\":1}}", .{given[1]}),
            try std.fmt.bufPrint(&line, "{f}", .{latencies}),
        );
    }
}
