//! The clock for all timestamps: CLOCK_MONOTONIC.

const std = @import("std");

pub fn nowNs() u64 {
    const now = std.posix.clock_gettime(.MONOTONIC) catch unreachable; // Never fails on Linux.
    return @as(u64, @intCast(now.sec)) * std.time.ns_per_s + @as(u64, @intCast(now.nsec));
}
