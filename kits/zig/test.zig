//! Tests of the kit: settings, a client's counts with a manual clock, and subscribers.

const std = @import("std");
const Action = @import("client.zig").Action;
const Client = @import("client.zig").Client;
const Connection = @import("client.zig").Connection;
const Server = @import("server.zig").Server;
const subscribers = @import("subscribers.zig");
const variables = @import("variables.zig");

const linux = std.os.linux;
const posix = std.posix;
const testing = std.testing;

const Entry = [2][]const u8;

/// Reads settings from names and values; stores the error message in `reason`.
fn read(
    comptime Settings: type,
    arena: *std.heap.ArenaAllocator,
    given: []const Entry,
    reason: *[]const u8,
) variables.Error!Settings {
    const allocator = arena.allocator();
    var environment: std.process.EnvMap = .init(allocator);
    for (given) |entry| try environment.put(entry[0], entry[1]);
    var reading: variables.Variables = .{ .environment = &environment, .allocator = allocator };
    defer reason.* = reading.reason;
    return Settings.read(&reading);
}

test "programs have their settings" {
    var arena: std.heap.ArenaAllocator = .init(testing.allocator);
    defer arena.deinit();
    var reason: []const u8 = "";
    const secure = try read(Client, &arena, &.{.{ "URL", "wss://host" }}, &reason);
    try testing.expect(secure.url.is_secure and !secure.is_replying);
    try testing.expectEqual(443, secure.url.port);
    try testing.expectEqualStrings("/", secure.url.target);
    const client = try read(Client, &arena, &.{
        .{ "URL", "ws://localhost:8008/5?x=1" }, .{ "VERB", "reply" }, .{ "MESSAGES", "5" },
    }, &reason);
    try testing.expectEqualStrings("localhost", client.url.host);
    try testing.expectEqualStrings("localhost:8008", client.url.authority);
    try testing.expectEqual(8008, client.url.port);
    try testing.expectEqualStrings("/5?x=1", client.url.target);
    try testing.expect(client.is_replying and client.messages == 5 and client.connections == 1);
    const server = try read(Server, &arena, &.{.{ "PORT", "8008" }}, &reason);
    try testing.expect(server.address.eql(try .parseIp("127.0.0.1", 8008)));
}

/// Expects that a variable is refused, with a reason of one line that names it.
fn expectWrong(comptime Settings: type, right: Entry, name: []const u8, values: []const []const u8) !void {
    var arena: std.heap.ArenaAllocator = .init(testing.allocator);
    defer arena.deinit();
    var reason: []const u8 = "";
    for (values) |value| {
        const given = [_]Entry{ right, .{ name, value } };
        try testing.expectError(error.WrongSetting, read(Settings, &arena, &given, &reason));
        try testing.expectStringStartsWith(reason, name);
        try testing.expectStringStartsWith(reason[name.len..], " is \"");
        try testing.expectEqual(null, std.mem.indexOfScalar(u8, reason, '\n'));
    }
}

test "a wrong variable is named" {
    const url: Entry = .{ "URL", "ws://host/5" };
    try expectWrong(Client, url, "URL", &.{ "", "nonsense", "http://h/", "ws://", "ws://h:x/", "wss:///5" });
    try expectWrong(Client, url, "MESSAGES", &.{ "", "0", "+1", "1_000", "5\n", "18446744073709551616" });
    try expectWrong(Client, url, "CONNECTIONS", &.{"0"});
    try expectWrong(Client, url, "VERB", &.{ "", "shout" });
    const port: Entry = .{ "PORT", "8008" };
    try expectWrong(Server, port, "PORT", &.{ "", "65536", "eighty" });
    try expectWrong(Server, port, "HOST", &.{"host"});
}

test "a wrong environment ends the program with status 2 and one line" {
    const ends = try posix.pipe();
    const program = try posix.fork();
    if (program == 0) {
        posix.dup2(ends[1], posix.STDERR_FILENO) catch std.process.exit(1);
        _ = variables.readOrExit(Server, std.heap.page_allocator) catch std.process.exit(1);
        std.process.exit(0);
    }
    posix.close(ends[1]);
    const stderr: std.fs.File = .{ .handle = ends[0] };
    defer stderr.close();
    const printed = try stderr.readToEndAlloc(testing.allocator, 1024);
    defer testing.allocator.free(printed);
    try testing.expectEqualStrings("PORT is not set\n", printed);
    const status = posix.waitpid(program, 0).status;
    try testing.expect(posix.W.IFEXITED(status));
    try testing.expectEqual(2, posix.W.EXITSTATUS(status));
}

var now_ns: u64 = 0;

fn nowNs() u64 {
    return now_ns;
}

/// Expects these actions of both connections of a client that wants two messages on each, and the
/// end of its result.
fn expectResult(is_replying: bool, actions: []const Action, end: []const u8) !void {
    var arena: std.heap.ArenaAllocator = .init(testing.allocator);
    defer arena.deinit();
    now_ns = 100;
    var client: Client = .{
        .allocator = arena.allocator(),
        .url = undefined,
        .connections = 2,
        .is_replying = is_replying,
        .messages = 2,
        .clock = nowNs,
    };
    for ([_]*Connection{ try client.opened(), try client.opened() }) |connection| {
        for (actions) |expected| {
            now_ns += 1;
            try testing.expectEqual(expected, connection.received());
        }
    }
    now_ns = 500;
    var printed: std.Io.Writer.Allocating = .init(arena.allocator());
    try client.writeResult(&printed.writer);
    const start = "{\"event\":\"result\",\"connections\":2,";
    try testing.expectStringStartsWith(printed.written(), start);
    try testing.expectEqualStrings(end, printed.written()[start.len..]);
}

test "a counting client closes after its last message" {
    const end = "\"messages\":4,\"opened_ns\":100,\"received_ns\":105}\n";
    try expectResult(false, &.{ .receive, .close, .receive }, end);
}

test "a client without its last message has the instant of its result" {
    const end = "\"messages\":2,\"opened_ns\":100,\"received_ns\":500}\n";
    try expectResult(false, &.{.receive}, end);
    try expectResult(true, &.{.reply}, end);
}

test "a message reaches all subscribers until they are ended" {
    var sockets: [2]posix.socket_t = undefined;
    try testing.expectEqual(0, linux.socketpair(linux.AF.UNIX, linux.SOCK.STREAM, 0, &sockets));
    defer for (sockets) |socket| posix.close(socket);
    var all: subscribers.Subscribers = .{ .allocator = testing.allocator };
    defer all.joined.deinit(testing.allocator);
    var slow: subscribers.Subscriber = .{ .socket = sockets[0] };
    var quick: subscribers.Subscriber = .{ .socket = sockets[0] };
    try all.join(&slow);
    try all.join(&quick);
    var taken: subscribers.Queue = .empty;
    defer taken.deinit(testing.allocator);
    for ([_][]const u8{ "one", "", "three" }) |bytes| {
        try all.send(.binary, bytes);
        try testing.expect(all.take(&quick, &taken));
        try testing.expectEqual(1, taken.items.len);
        try testing.expectEqual(.binary, taken.items[0].opcode);
        try testing.expectEqualStrings(bytes, taken.items[0].bytes);
        all.release(&taken);
    }
    try testing.expect(all.take(&slow, &taken));
    try testing.expectEqual(3, taken.items.len);
    all.release(&taken);
    all.end(&slow);
    try testing.expect(!all.take(&slow, &taken));
    var rest: [1]u8 = undefined;
    try testing.expectEqual(0, try posix.read(sockets[1], &rest));
    try all.send(.text, "not taken");
    all.leave(&slow);
    all.leave(&quick);
}
