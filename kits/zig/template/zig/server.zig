//! Echoes with LIBRARY.

const std = @import("std");
const kit = @import("kit");

const allocator = std.heap.smp_allocator;

pub fn main() !void {
    const settings: kit.ServerSettings = try .fromEnvironment(allocator);
    // LIBRARY: listen on settings.host and settings.port, without compression, for messages of up to
    // kit.PAYLOAD_BYTES_MAX.
    // LIBRARY: send each message of a connection to /echo back unchanged.
    std.debug.print("server.zig lacks the calls of the library: {s}\n", .{settings.host});
    std.process.exit(1);
}
