//! Tests of how a URL is read, and of the queues of subscribers.

const std = @import("std");
const Client = @import("client.zig").Client;
const subscribers = @import("subscribers.zig");
const variables = @import("variables.zig");

const linux = std.os.linux;
const posix = std.posix;
const testing = std.testing;

/// Reads the settings of a client that has only a URL.
fn readUrl(arena: *std.heap.ArenaAllocator, url: []const u8) !Client {
    const allocator = arena.allocator();
    var environment: std.process.EnvMap = .init(allocator);
    try environment.put("URL", url);
    var reading: variables.Variables = .{ .environment = &environment, .allocator = allocator };
    return Client.read(&reading);
}

test "a url has a default port and path" {
    var arena: std.heap.ArenaAllocator = .init(testing.allocator);
    defer arena.deinit();
    const secure = (try readUrl(&arena, "wss://host")).url;
    try testing.expect(secure.is_secure);
    try testing.expectEqual(443, secure.port);
    try testing.expectEqualStrings("/", secure.target);
    const plain = (try readUrl(&arena, "ws://localhost:8008/5?x=1")).url;
    try testing.expectEqualStrings("localhost", plain.host);
    try testing.expectEqualStrings("localhost:8008", plain.authority);
    try testing.expectEqual(8008, plain.port);
    try testing.expectEqualStrings("/5?x=1", plain.target);
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
