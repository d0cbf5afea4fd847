//! Tests of how a URL is read, and of the queues of subscribers.

const std = @import("std");
const kit = @import("kit");

const linux = std.os.linux;
const posix = std.posix;
const testing = std.testing;

test "a url has a default port and path" {
    var arena: std.heap.ArenaAllocator = .init(testing.allocator);
    defer arena.deinit();
    const secure = try kit.Url.parse(arena.allocator(), "wss://host");
    try testing.expect(secure.is_secure);
    try testing.expectEqual(443, secure.port);
    try testing.expectEqualStrings("/", secure.target);
    const plain = try kit.Url.parse(arena.allocator(), "ws://localhost:8008/5?x=1");
    try testing.expectEqualStrings("localhost", plain.host);
    try testing.expectEqualStrings("localhost:8008", plain.authority);
    try testing.expectEqual(8008, plain.port);
    try testing.expectEqualStrings("/5?x=1", plain.target);
}

test "a message reaches all subscribers until they are ended" {
    var sockets: [2]posix.socket_t = undefined;
    try testing.expectEqual(0, linux.socketpair(linux.AF.UNIX, linux.SOCK.STREAM, 0, &sockets));
    defer for (sockets) |socket| posix.close(socket);
    var all: kit.Subscribers = .{ .allocator = testing.allocator };
    defer all.joined.deinit(testing.allocator);
    var slow: kit.Subscriber = .{ .socket = sockets[0] };
    var quick: kit.Subscriber = .{ .socket = sockets[0] };
    try all.join(&slow);
    try all.join(&quick);
    var taken: kit.Queue = .empty;
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
