//! Tests of a client's counts and printed lines, with a manual clock, and of its settings.

const std = @import("std");
const exchanger = @import("exchanger.zig");
const receiver = @import("receiver.zig");
const settings = @import("settings.zig");
const variables = @import("variables.zig");

const testing = std.testing;

const OPENED_NS = 81_000_000_000;
const SECOND_NS = std.time.ns_per_s;
const MS = std.time.ns_per_ms;
const URL: settings.Url = .{ .text = "ws://host/1", .host = "host", .port = 80, .target = "/1" };

var now_ns: u64 = 0;

fn nowNs() u64 {
    return now_ns;
}

/// A receiver whose lines are stored.
const Receiving = struct {
    printed: std.Io.Writer.Allocating,
    receiver: receiver.Receiver,

    fn init(self: *Receiving, given: settings.ReceiverSettings) void {
        now_ns = OPENED_NS;
        self.printed = .init(testing.allocator);
        self.receiver = .{
            .allocator = testing.allocator,
            .settings = given,
            .name = "zig-example",
            .output = &self.printed.writer,
            .clock = nowNs,
        };
    }

    fn deinit(self: *Receiving) void {
        self.receiver.deinit();
        self.printed.deinit();
    }

    fn expectLines(self: *Receiving, expected: []const u8) !void {
        try testing.expectEqualStrings(expected, self.printed.written());
    }
};

test "seconds, and the result with the last expected message" {
    var bench: Receiving = undefined;
    bench.init(.{ .url = URL, .messages = 3 });
    defer bench.deinit();
    const connection = try bench.receiver.opened();
    try testing.expect(!try connection.received("hello", false));
    now_ns += SECOND_NS - 1;
    try testing.expectEqual(1, try bench.receiver.tick());
    now_ns += 1;
    try testing.expectEqual(SECOND_NS, try bench.receiver.tick());
    try testing.expect(!try connection.received("grüezi", true));
    now_ns += 5;
    try testing.expect(try connection.received("", false));
    now_ns += 3 * SECOND_NS;
    // Messages that arrive while the connection closes are not counted.
    try testing.expect(try connection.received("more", false));
    try testing.expectEqual(null, try bench.receiver.tick());
    try bench.receiver.finish();
    try bench.expectLines(
        "{\"event\":\"second\",\"second\":0,\"messages\":1,\"bytes\":5}\n" ++
            "{\"event\":\"result\",\"connections\":1,\"messages\":3,\"bytes\":12," ++
            "\"opened_ns\":81000000000,\"received_ns\":82000000005}\n",
    );
}

test "connections are added up, and lines have the autoroute format by request" {
    var bench: Receiving = undefined;
    bench.init(.{ .url = URL, .messages = 1, .connections = 2, .lines = .autoroute });
    defer bench.deinit();
    const one = try bench.receiver.opened();
    now_ns += SECOND_NS;
    const other = try bench.receiver.opened();
    try testing.expect(try one.received("hello", false));
    _ = try bench.receiver.tick();
    now_ns += 1_830_500_000;
    _ = try bench.receiver.tick();
    try testing.expect(try other.received("hello", false));
    try bench.receiver.finish();
    try bench.expectLines(
        \\messages received per second: 1
        \\messages received per second: 0
        \\AUTOROUTE zig-example :: 2831 ms
        \\
    );
}

test "a feed is checked separately for each connection" {
    var bench: Receiving = undefined;
    bench.init(.{
        .url = URL,
        .messages = 3,
        .connections = 2,
        .feed = .{ .kind = .sequence },
    });
    defer bench.deinit();
    const one = try bench.receiver.opened();
    const other = try bench.receiver.opened();
    for ([_][]const u8{ "7", "8", "11" }) |message| _ = try one.received(message, false);
    for ([_][]const u8{ "8", "8", "x" }) |message| _ = try other.received(message, false);
    try bench.receiver.finish();
    try bench.expectLines(
        "{\"event\":\"result\",\"connections\":2,\"messages\":6,\"bytes\":7," ++
            "\"opened_ns\":81000000000,\"received_ns\":81000000000,\"wrong\":1," ++
            "\"sequence\":{\"in_order\":3,\"gaps\":1,\"missing\":2,\"duplicates\":1," ++
            "\"reordered\":0,\"unexpected\":0},\"latency_ns\":null}\n",
    );
}

test "latencies start at the time in the message, which is not in the future" {
    var bench: Receiving = undefined;
    bench.init(.{ .url = URL, .messages = 2, .feed = .{ .kind = .clock } });
    defer bench.deinit();
    const connection = try bench.receiver.opened();
    _ = try connection.received("80999998766", false);
    _ = try connection.received("81000000001", false);
    try bench.receiver.finish();
    const end = ",\"wrong\":1,\"sequence\":null,\"latency_ns\":{\"1230\":1}}\n";
    try testing.expect(std.mem.endsWith(u8, bench.printed.written(), end));
}

const ECHO: settings.EchoSettings = .{
    .url = URL,
    .payload = "grüezi",
    .warm_up_ns = SECOND_NS,
    .window_ns = 2 * SECOND_NS,
};

test "echoes count within the window, and wrong ones always" {
    now_ns = OPENED_NS;
    var printed: std.Io.Writer.Allocating = .init(testing.allocator);
    defer printed.deinit();
    var given: exchanger.Exchanger = .{
        .settings = ECHO,
        .output = &printed.writer,
        .clock = nowNs,
    };
    try testing.expect(given.answered("grüezi", false));
    given.opened();
    try testing.expect(given.answered("grüezi", false));
    now_ns += SECOND_NS;
    try testing.expect(given.answered("grüezi", false));
    try testing.expect(given.answered("grüezi", true));
    try testing.expect(given.answered("grüez", false));
    now_ns += 2 * SECOND_NS - 1;
    try testing.expect(given.answered("grüezi", false));
    now_ns += 1;
    try testing.expect(!given.answered("grüezi", false));
    try testing.expect(!given.answered("", false));
    try given.finish();
    try testing.expectEqualStrings(
        \\{"event":"result","connections":1,"echoed":2,"wrong":3,"window_ns":2000000000}
        \\
    , printed.written());
}

test "names the variable of a client that is missing or wrong" {
    var arena: std.heap.ArenaAllocator = .init(testing.allocator);
    defer arena.deinit();
    const cases = [_][2][]const u8{
        .{ "URL", "" },          .{ "URL", "127.0.0.1:8008" }, .{ "URL", "http://host/5" },
        .{ "URL", "ws://" },     .{ "URL", "ws://host:x/" },   .{ "MESSAGES", "0" },
        .{ "MESSAGES", "ten" },  .{ "MESSAGES", "5\n" },       .{ "MESSAGES", "1_000" },
        .{ "CONNECTIONS", "0" }, .{ "LINES", "xml" },          .{ "WINDOW_S", "0.0" },
        .{ "WINDOW_S", "1e3" },  .{ "WARM_UP_S", "-1" },       .{ "WORKLOAD", "sing" },
        .{ "MESSAGES", "" },
    };
    for (cases) |case| {
        const allocator = arena.allocator();
        var environment: std.process.EnvMap = .init(allocator);
        for ([_][2][]const u8{
            .{ "URL", "ws://127.0.0.1:8008/5" },
            .{ "MESSAGES", "5" },
            .{ "WINDOW_S", "2" },
        }) |entry| try environment.put(entry[0], entry[1]);
        var reading: variables.Variables = .{ .environment = &environment, .allocator = allocator };
        try readAll(&reading);
        try environment.put(case[0], case[1]);
        try testing.expectError(error.WrongSetting, readAll(&reading));
        try testing.expect(std.mem.startsWith(u8, reading.reason, case[0]));
        try testing.expectEqual(null, std.mem.indexOfScalar(u8, reading.reason, '\n'));
    }
}

fn readAll(reading: *variables.Variables) !void {
    _ = try settings.readWorkload(reading);
    _ = try settings.ReceiverSettings.read(reading);
    _ = try settings.EchoSettings.read(reading);
}

test "reads an address" {
    var arena: std.heap.ArenaAllocator = .init(testing.allocator);
    defer arena.deinit();
    var environment: std.process.EnvMap = .init(arena.allocator());
    try environment.put("URL", "ws://localhost:8008/feed?x=1");
    try environment.put("MESSAGES", "5");
    var reading: variables.Variables = .{
        .environment = &environment,
        .allocator = arena.allocator(),
    };
    const url = (try settings.ReceiverSettings.read(&reading)).url;
    try testing.expectEqualStrings("localhost", url.host);
    try testing.expectEqual(8008, url.port);
    try testing.expectEqualStrings("/feed?x=1", url.target);
}
