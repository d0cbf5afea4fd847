//! Serves with LIBRARY, as its documentation shows.

const std = @import("std");
const kit = @import("kit");

const allocator = std.heap.smp_allocator;

pub fn main() !void {
    const server = try kit.readOrExit(kit.Server, allocator);
    // LIBRARY: listen on server.address, without compression, for messages of up to kit.MESSAGE_BYTES_MAX.
    // LIBRARY: /echo sends each message back, unchanged.
    // LIBRARY: /subscribe gets what /publish sends, by the library's own function if it has one, else kit.Subscribers.
    _ = server.address;
    kit.fail("server.zig lacks the calls of the library");
}
