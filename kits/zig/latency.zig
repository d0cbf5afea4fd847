//! Latencies as counts of rounded nanoseconds: docs/contract.md, clause 7.5.

const std = @import("std");

/// Rounds to three significant digits; a half is rounded up.
pub fn roundLatency(latency_ns: u64) u64 {
    var unit: u64 = 1;
    while (latency_ns / unit >= 1000) unit *= 10;
    return (latency_ns + unit / 2) / unit * unit;
}

/// Number of messages per rounded latency.
pub const Latencies = struct {
    counts: std.AutoArrayHashMapUnmanaged(u64, u64) = .empty,

    pub fn deinit(self: *Latencies, allocator: std.mem.Allocator) void {
        self.counts.deinit(allocator);
    }

    pub fn record(self: *Latencies, allocator: std.mem.Allocator, latency_ns: u64) !void {
        try self.add(allocator, roundLatency(latency_ns), 1);
    }

    /// Adds the counts of another object.
    pub fn merge(self: *Latencies, allocator: std.mem.Allocator, other: *const Latencies) !void {
        for (other.counts.keys(), other.counts.values()) |latency_ns, count| {
            try self.add(allocator, latency_ns, count);
        }
    }

    /// Writes the counts by latency as a JSON object.
    pub fn format(self: *const Latencies, to: *std.Io.Writer) std.Io.Writer.Error!void {
        try to.writeByte('{');
        for (self.counts.keys(), self.counts.values(), 0..) |latency_ns, count, index| {
            if (index > 0) try to.writeByte(',');
            try to.print("\"{d}\":{d}", .{ latency_ns, count });
        }
        try to.writeByte('}');
    }

    fn add(self: *Latencies, allocator: std.mem.Allocator, latency_ns: u64, count: u64) !void {
        const entry = try self.counts.getOrPutValue(allocator, latency_ns, 0);
        entry.value_ptr.* += count;
    }
};
