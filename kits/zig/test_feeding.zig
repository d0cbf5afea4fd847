//! Tests of a feed, with a manual clock, of its subscribers and of a server's settings.

const std = @import("std");
const subscribers = @import("subscribers.zig");
const feeding = @import("feeding.zig");
const serving = @import("serving.zig");
const variables = @import("variables.zig");

const testing = std.testing;

const START_NS = 81_000_000_000;
const EVERY_NS = 400_000_000;
const SECOND_NS = std.time.ns_per_s;

fn expectNext(feed: *feeding.Feed, now_ns: u64, expected: []const u8) !void {
    try testing.expectEqual(0, try feed.waitNs(now_ns, 2));
    const message = try feed.nextMessage(testing.allocator, now_ns, 2);
    defer testing.allocator.free(message);
    try testing.expectEqualStrings(expected, message);
}

test "messages are due by their number" {
    var discarded: std.Io.Writer.Discarding = .init(&.{});
    const settings: serving.FeedSettings = .{
        .format = .{ .kind = .clock },
        .every_ns = EVERY_NS,
        .messages = 3,
    };
    var feed: feeding.Feed = .{
        .settings = &settings,
        .output = &discarded.writer,
        .start_ns = START_NS,
    };
    try expectNext(&feed, START_NS, "81000000000");
    try testing.expectEqual(EVERY_NS, try feed.waitNs(START_NS, 2));
    // A late message carries the time at which it was due, and does not delay the next ones.
    try expectNext(&feed, START_NS + EVERY_NS + 7, "81400000000");
    try testing.expectEqual(EVERY_NS - 7, try feed.waitNs(START_NS + EVERY_NS + 7, 2));
    try expectNext(&feed, START_NS + 2 * EVERY_NS, "81800000000");
    // The last message has an interval like the others; the end of the second comes first.
    const last_ns = START_NS + 2 * EVERY_NS;
    try testing.expectEqual(EVERY_NS / 2, try feed.waitNs(last_ns, 2));
    try testing.expectEqual(null, try feed.waitNs(START_NS + 3 * EVERY_NS, 2));
}

test "a message due at the end is not sent, and a continuous feed ends by time" {
    var discarded: std.Io.Writer.Discarding = .init(&.{});
    const timed: serving.FeedSettings = .{
        .format = .{ .kind = .sequence },
        .every_ns = EVERY_NS,
        .duration_ns = 2 * EVERY_NS,
    };
    var feed: feeding.Feed = .{
        .settings = &timed,
        .output = &discarded.writer,
        .start_ns = START_NS,
    };
    try expectNext(&feed, START_NS, "0");
    try expectNext(&feed, START_NS + EVERY_NS, "1");
    try testing.expectEqual(EVERY_NS - 1, try feed.waitNs(START_NS + EVERY_NS + 1, 2));
    try testing.expectEqual(null, try feed.waitNs(START_NS + 2 * EVERY_NS, 2));
    const continuous: serving.FeedSettings = .{ .format = .{ .kind = .clock }, .duration_ns = 10 };
    feed = .{ .settings = &continuous, .output = &discarded.writer, .start_ns = START_NS };
    try testing.expectEqual(0, try feed.waitNs(START_NS + 9, 2));
    try testing.expectEqual(null, try feed.waitNs(START_NS + 10, 2));
}

test "each second counts the sent messages, and a feed without subscribers ends" {
    var printed: std.Io.Writer.Allocating = .init(testing.allocator);
    defer printed.deinit();
    const settings: serving.FeedSettings = .{
        .format = .{ .kind = .hello },
        .every_ns = 700_000_000,
        .messages = 9,
    };
    var feed: feeding.Feed = .{
        .settings = &settings,
        .output = &printed.writer,
        .start_ns = START_NS,
    };
    for (0..3) |number| try expectNext(&feed, START_NS + number * 700_000_000, "hello world");
    try testing.expectEqual(null, try feed.waitNs(START_NS + 2 * SECOND_NS, 0));
    try feed.finish();
    try testing.expectEqualStrings(
        \\{"event":"second","second":0,"messages":4,"bytes":44}
        \\{"event":"second","second":1,"messages":2,"bytes":22}
        \\{"event":"result","messages":6,"bytes":66}
        \\
    , printed.written());
}

/// Takes all messages of a subscriber until the feed is over, which must be 0 to 39.
fn expectAll(given: *subscribers.Subscribers, subscriber: *subscribers.Subscriber) !void {
    var next: u64 = 0;
    var messages: std.ArrayList(*subscribers.Message) = .empty;
    defer messages.deinit(testing.allocator);
    while (true) {
        given.take(subscriber, &messages);
        if (messages.items.len == 0) break;
        for (messages.items) |message| {
            try testing.expectEqual(next, try std.fmt.parseInt(u64, message.bytes, 10));
            next += 1;
            message.release(testing.allocator);
        }
        messages.clearRetainingCapacity();
    }
    try testing.expectEqual(40, next);
}

test "a feed starts when all subscribers have joined, also for the next group" {
    var discarded: std.Io.Writer.Discarding = .init(&.{});
    var given: subscribers.Subscribers = .{
        .allocator = testing.allocator,
        .settings = .{ .format = .{ .kind = .sequence }, .subscribers = 2, .messages = 40 },
        .output = &discarded.writer,
    };
    defer given.subscribed.deinit(testing.allocator);
    for (0..2) |_| {
        const one = try given.join();
        const other = try given.join();
        // More messages than may wait for a subscriber: both must take theirs at the same time.
        const thread = try std.Thread.spawn(.{}, takeAll, .{ &given, one });
        try expectAll(&given, other);
        thread.join();
        for ([_]*subscribers.Subscriber{ one, other }) |subscriber| {
            given.leave(subscriber);
            given.free(subscriber);
        }
    }
}

fn takeAll(given: *subscribers.Subscribers, subscriber: *subscribers.Subscriber) void {
    expectAll(given, subscriber) catch |err| std.debug.panic("{t}", .{err});
}

test "a subscriber that is gone receives nothing more, and its ping is answered in order" {
    var discarded: std.Io.Writer.Discarding = .init(&.{});
    var given: subscribers.Subscribers = .{
        .allocator = testing.allocator,
        .settings = .{ .format = .{ .kind = .hello }, .subscribers = 2, .messages = 1 },
        .output = &discarded.writer,
    };
    defer given.subscribed.deinit(testing.allocator);
    const subscriber = try given.join();
    defer given.free(subscriber);
    var messages: std.ArrayList(*subscribers.Message) = .empty;
    defer messages.deinit(testing.allocator);
    try given.answerPing(subscriber, "here");
    given.take(subscriber, &messages);
    defer messages.items[0].release(testing.allocator);
    try testing.expectEqualStrings("here", messages.items[0].bytes);
    try testing.expectEqual(.pong, messages.items[0].kind);
    var nothing: std.ArrayList(*subscribers.Message) = .empty;
    given.leave(subscriber);
    given.take(subscriber, &nothing);
    try testing.expectEqual(0, nothing.items.len);
}

/// Reads a server's settings from names and values; stores the error message in `reason`.
fn readFrom(
    arena: *std.heap.ArenaAllocator,
    given: []const [2][]const u8,
    reason: *[]const u8,
) !serving.ServerSettings {
    const allocator = arena.allocator();
    var environment: std.process.EnvMap = .init(allocator);
    for (given) |entry| try environment.put(entry[0], entry[1]);
    var reading: variables.Variables = .{ .environment = &environment, .allocator = allocator };
    defer reason.* = reading.reason;
    return serving.ServerSettings.read(&reading);
}

test "reads the settings of a server" {
    var arena: std.heap.ArenaAllocator = .init(testing.allocator);
    defer arena.deinit();
    var reason: []const u8 = "";
    const least = try readFrom(&arena, &.{.{ "PORT", "8008" }}, &reason);
    try testing.expectEqualStrings("127.0.0.1", least.host);
    try testing.expectEqual(8008, least.port);
    try testing.expectEqual(1, least.workers);
    try testing.expectEqual(null, least.feed);
    const settings = try readFrom(&arena, &.{
        .{ "PORT", "8008" },     .{ "FEED", "stocks" }, .{ "STOCKS_FILE", "../stocks.csv" },
        .{ "EVERY_MS", "0.5" },  .{ "STOCKS", "3" },    .{ "SECONDS", "1.5" },
        .{ "SUBSCRIBERS", "8" },
    }, &reason);
    const feed = settings.feed.?;
    try testing.expectEqual(.stocks, feed.format.kind);
    try testing.expectEqual(.json, feed.format.encoding);
    try testing.expectEqual(3, feed.stocks);
    try testing.expectEqual(8, feed.subscribers);
    try testing.expectEqual(500_000, feed.every_ns);
    try testing.expectEqual(1_500_000_000, feed.duration_ns);
    try testing.expectEqual(null, feed.messages);
}

test "names the variable of a server that is missing or wrong" {
    var arena: std.heap.ArenaAllocator = .init(testing.allocator);
    defer arena.deinit();
    const port: [2][]const u8 = .{ "PORT", "8008" };
    const hello: [2][]const u8 = .{ "FEED", "hello" };
    const one: [2][]const u8 = .{ "MESSAGES", "1" };
    const cases = [_]struct { []const u8, []const [2][]const u8 }{
        .{ "PORT", &.{} },
        .{ "PORT", &.{.{ "PORT", "65536" }} },
        .{ "PORT", &.{.{ "PORT", "eighty" }} },
        .{ "PORT", &.{.{ "PORT", "08" }} },
        .{ "WORKERS", &.{ port, .{ "WORKERS", "0" } } },
        .{ "FEED", &.{ port, one, .{ "FEED", "weather" } } },
        .{ "ENCODING", &.{ port, one, hello, .{ "ENCODING", "x\nml" } } },
        .{ "MESSAGES", &.{ port, hello } },
        .{ "MESSAGES", &.{ port, hello, one, .{ "SECONDS", "1" } } },
        .{ "SECONDS", &.{ port, hello, .{ "SECONDS", "1." } } },
        .{ "SECONDS", &.{ port, hello, .{ "SECONDS", "0.0" } } },
        .{ "EVERY_MS", &.{ port, hello, one, .{ "EVERY_MS", "0" } } },
        .{ "SUBSCRIBERS", &.{ port, hello, one, .{ "SUBSCRIBERS", "0" } } },
        .{ "STOCKS", &.{ port, hello, one, .{ "STOCKS", "1000001" } } },
        .{ "STOCKS_FILE", &.{ port, one, .{ "FEED", "stocks" } } },
        .{
            "STOCKS_FILE",
            &.{ port, one, .{ "FEED", "stocks" }, .{ "STOCKS_FILE", "/none.csv" } },
        },
    };
    for (cases) |case| {
        var reason: []const u8 = "";
        try testing.expectError(error.WrongSetting, readFrom(&arena, case[1], &reason));
        try testing.expect(std.mem.startsWith(u8, reason, case[0]));
        try testing.expectEqual(null, std.mem.indexOfScalar(u8, reason, '\n'));
    }
}

test "a wrong environment ends the program with status 2 and one line" {
    const ends = try std.posix.pipe();
    const program = try std.posix.fork();
    if (program == 0) {
        std.posix.dup2(ends[1], std.posix.STDERR_FILENO) catch std.process.exit(1);
        // PORT is required and not set.
        _ = serving.ServerSettings.fromEnvironment(std.heap.page_allocator) catch std.process.exit(1);
        std.process.exit(0);
    }
    std.posix.close(ends[1]);
    defer std.posix.close(ends[0]);
    var reason: [256]u8 = undefined;
    var size: usize = 0;
    while (true) {
        const more = try std.posix.read(ends[0], reason[size..]);
        if (more == 0) break;
        size += more;
    }
    const status = std.posix.waitpid(program, 0).status;
    try testing.expect(std.posix.W.IFEXITED(status));
    try testing.expectEqual(2, std.posix.W.EXITSTATUS(status));
    try testing.expectStringStartsWith(reason[0..size], "PORT ");
    try testing.expectEqual(size - 1, std.mem.indexOfScalar(u8, &reason, '\n').?);
}
