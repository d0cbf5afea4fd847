//! Computes what to send to subscribers, and when: docs/contract.md, section 8.

const std = @import("std");
const serving = @import("serving.zig");

/// One feed for one group of subscribers, from its first message to its last. The caller passes the
/// time.
pub const Feed = struct {
    settings: *const serving.FeedSettings,
    output: *std.Io.Writer,
    start_ns: u64,
    number: u64 = 0,
    messages: u64 = 0,
    bytes: u64 = 0,
    // State at the last printed line.
    seconds: u64 = 0,
    printed_messages: u64 = 0,
    printed_bytes: u64 = 0,

    /// Returns how long to wait, in nanoseconds. 0: a message is due. null: the feed is over.
    pub fn waitNs(self: *Feed, now_ns: u64, subscribed: u64) !?u64 {
        try self.printSeconds(now_ns);
        const due_ns = self.dueNs(now_ns);
        const is_over = due_ns <= now_ns and !self.isLeft(due_ns);
        if (is_over or subscribed == 0) return null;
        return @min(due_ns, self.secondEndNs()) -| now_ns;
    }

    /// Returns the message that is due and counts it once per subscriber.
    pub fn nextMessage(
        self: *Feed,
        allocator: std.mem.Allocator,
        now_ns: u64,
        subscribed: u64,
    ) ![]u8 {
        const stocks = try self.settings.stocksOfMessage(allocator, self.number);
        defer allocator.free(stocks);
        var message: std.Io.Writer.Allocating = .init(allocator);
        errdefer message.deinit();
        const time_ns = if (self.settings.every_ns) |every_ns|
            self.start_ns + self.number * every_ns
        else
            now_ns;
        const format = self.settings.format;
        try format.encode(
            &message.writer,
            .{ .number = self.number, .time_ns = time_ns },
            stocks,
        );
        self.number += 1;
        self.messages += subscribed;
        self.bytes += message.written().len * subscribed;
        return message.toOwnedSlice();
    }

    /// Prints the result line.
    pub fn finish(self: *Feed) !void {
        const line = "{{\"event\":\"result\",\"messages\":{d},\"bytes\":{d}}}\n";
        try self.output.print(line, .{ self.messages, self.bytes });
        try self.output.flush();
    }

    /// Returns when the next message is due. After the last message, this is when the feed ends.
    fn dueNs(self: *const Feed, now_ns: u64) u64 {
        const every_ns = self.settings.every_ns orelse return now_ns;
        return self.start_ns + self.number * every_ns;
    }

    fn isLeft(self: *const Feed, due_ns: u64) bool {
        if (self.settings.messages) |messages| if (self.number >= messages) return false;
        const duration_ns = self.settings.duration_ns orelse return true;
        return due_ns < self.start_ns + duration_ns;
    }

    fn secondEndNs(self: *const Feed) u64 {
        return self.start_ns + (self.seconds + 1) * std.time.ns_per_s;
    }

    fn printSeconds(self: *Feed, until_ns: u64) !void {
        while (until_ns >= self.secondEndNs()) {
            const line = "{{\"event\":\"second\",\"second\":{d},\"messages\":{d},\"bytes\":{d}}}\n";
            const messages = self.messages - self.printed_messages;
            const bytes = self.bytes - self.printed_bytes;
            try self.output.print(line, .{ self.seconds, messages, bytes });
            try self.output.flush();
            self.seconds += 1;
            self.printed_messages = self.messages;
            self.printed_bytes = self.bytes;
        }
    }
};
