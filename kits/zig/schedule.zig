//! When events are due, and what they say: docs/contract.md, clauses 6.2 and 6.3.

const std = @import("std");

/// Which of the connections it is.
pub const Place = struct { connection: u64, connections: u64 };

/// Returns when an event is due.
pub fn dueNs(start_ns: u64, every_ns: u64, place: Place, event: u64) u64 {
    const offset_ns = @as(u128, place.connection) * every_ns / place.connections;
    return start_ns + @as(u64, @intCast(offset_ns)) + event * every_ns;
}

/// Writes the text of an event.
pub fn writeStamp(
    to: *std.Io.Writer,
    event: u64,
    due_ns: u64,
    payload: []const u8,
) std.Io.Writer.Error!void {
    try to.print("{d:0>20} {d:0>20} {s}", .{ event, due_ns, payload });
}
