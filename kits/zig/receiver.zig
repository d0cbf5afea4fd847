//! Adds up the messages that a client receives and prints its lines: docs/contract.md, sections 3,
//! 4 and 7.

const std = @import("std");
const clock = @import("clock.zig");
const feed = @import("feed.zig");
const latency = @import("latency.zig");
const sequence = @import("sequence.zig");
const settings = @import("settings.zig");

/// Adds up the messages of all connections of a client and prints the lines.
///
/// Call `opened` for each connection, `received` on the returned connection for each message,
/// `tick` when a second has ended, and `finish` when all connections are closed.
pub const Receiver = struct {
    allocator: std.mem.Allocator,
    settings: settings.ReceiverSettings,
    /// Name of the contestant, for lines in the autoroute format.
    name: []const u8,
    output: *std.Io.Writer,
    clock: *const fn () u64 = clock.nowNs,
    connections: std.ArrayList(*Connection) = .empty,
    opened_ns: u64 = 0,
    // State at the last printed line.
    seconds: u64 = 0,
    printed: Count = .{},

    /// Creates a receiver. A contestant runs in its folder; the folder's name is the contestant's
    /// name.
    pub fn init(
        allocator: std.mem.Allocator,
        given: settings.ReceiverSettings,
        output: *std.Io.Writer,
    ) !Receiver {
        const folder = try std.process.getCwdAlloc(allocator);
        const name = std.fs.path.basename(folder);
        return .{ .allocator = allocator, .settings = given, .name = name, .output = output };
    }

    pub fn deinit(self: *Receiver) void {
        for (self.connections.items) |connection| {
            connection.latencies.deinit(self.allocator);
            self.allocator.destroy(connection);
        }
        self.connections.deinit(self.allocator);
    }

    /// Registers an open connection and returns its counts.
    pub fn opened(self: *Receiver) !*Connection {
        const connection = try self.allocator.create(Connection);
        connection.* = .{ .receiver = self };
        try self.connections.append(self.allocator, connection);
        if (self.connections.items.len == 1) self.opened_ns = self.clock();
        return connection;
    }

    /// Prints a line for each second that has ended. Returns the nanoseconds until the next second
    /// ends, or null once all messages have arrived: no second is printed after the last message.
    pub fn tick(self: *Receiver) !?u64 {
        const now_ns = self.clock();
        const received_ns = self.allReceivedNs();
        try self.printSeconds(received_ns orelse now_ns);
        return if (received_ns == null) self.secondEndNs() -| now_ns else null;
    }

    /// Prints the result.
    pub fn finish(self: *Receiver) !void {
        const received_ns = self.allReceivedNs() orelse self.clock();
        try self.printSeconds(received_ns);
        const counted = self.count();
        if (self.settings.lines == .json) {
            try self.output.print(
                "{{\"event\":\"result\",\"connections\":{d},\"messages\":{d},\"bytes\":{d}," ++
                    "\"opened_ns\":{d},\"received_ns\":{d}",
                .{
                    self.connections.items.len, counted.messages, counted.bytes,
                    self.opened_ns,             received_ns,
                },
            );
            if (self.settings.feed) |format| try self.printFeed(format);
            try self.output.writeAll("}\n");
        } else {
            const ms = (received_ns - self.opened_ns + std.time.ns_per_ms / 2) / std.time.ns_per_ms;
            try self.output.print("AUTOROUTE {s} :: {d} ms\n", .{ self.name, ms });
        }
        try self.output.flush();
        if (self.settings.messages) |messages| {
            const expected = messages * self.settings.connections;
            if (counted.messages < expected) {
                std.debug.print("received {d} of {d} messages\n", .{ counted.messages, expected });
            }
        }
    }

    fn printFeed(self: *Receiver, format: feed.FeedFormat) !void {
        var wrong: u64 = 0;
        var counts: sequence.Counts = .{};
        var latencies: latency.Latencies = .{};
        defer latencies.deinit(self.allocator);
        for (self.connections.items) |connection| {
            wrong += connection.wrong;
            counts.merge(connection.sequence.counts);
            try latencies.merge(self.allocator, &connection.latencies);
        }
        try self.output.print(",\"wrong\":{d},\"sequence\":", .{wrong});
        if (format.hasNumber()) {
            try self.output.print("{f}", .{std.json.fmt(counts, .{})});
        } else {
            try self.output.writeAll("null");
        }
        try self.output.writeAll(",\"latency_ns\":");
        if (format.hasInstant()) {
            try self.output.print("{f}", .{latencies});
        } else {
            try self.output.writeAll("null");
        }
    }

    fn printSeconds(self: *Receiver, until_ns: u64) !void {
        while (until_ns >= self.secondEndNs()) {
            const counted = self.count();
            const messages = counted.messages - self.printed.messages;
            const bytes = counted.bytes - self.printed.bytes;
            if (self.settings.lines == .json) {
                try self.output.print(
                    "{{\"event\":\"second\",\"second\":{d},\"messages\":{d},\"bytes\":{d}}}\n",
                    .{ self.seconds, messages, bytes },
                );
            } else {
                try self.output.print("messages received per second: {d}\n", .{messages});
            }
            try self.output.flush();
            self.seconds += 1;
            self.printed = counted;
        }
    }

    fn secondEndNs(self: *const Receiver) u64 {
        return self.opened_ns + (self.seconds + 1) * std.time.ns_per_s;
    }

    fn allReceivedNs(self: *const Receiver) ?u64 {
        if (self.connections.items.len < self.settings.connections) return null;
        var last_ns: u64 = 0;
        for (self.connections.items) |connection| {
            last_ns = @max(last_ns, connection.received_ns orelse return null);
        }
        return last_ns;
    }

    fn count(self: *const Receiver) Count {
        var sum: Count = .{};
        for (self.connections.items) |connection| {
            sum.messages += connection.count.messages;
            sum.bytes += connection.count.bytes;
        }
        return sum;
    }
};

const Count = struct { messages: u64 = 0, bytes: u64 = 0 };

/// Counts the messages of one connection.
pub const Connection = struct {
    receiver: *Receiver,
    count: Count = .{},
    /// Time at which the last expected message arrived; null before that. Other messages are not
    /// timed.
    received_ns: ?u64 = null,
    wrong: u64 = 0,
    sequence: sequence.Sequence = .{},
    latencies: latency.Latencies = .{},

    /// Counts one message. Returns true once the connection must be closed with code 1000.
    pub fn received(self: *Connection, message: []const u8, is_binary: bool) !bool {
        // The library may deliver more while the connection closes. These messages are not counted.
        if (self.received_ns != null) return true;
        if (self.receiver.settings.feed) |format| {
            self.check(format, message, is_binary) catch |err| switch (err) {
                error.WrongMessage => self.wrong += 1,
                else => return err,
            };
        }
        self.count.messages += 1;
        self.count.bytes += message.len;
        if (self.count.messages != self.receiver.settings.messages) return false;
        self.received_ns = self.receiver.clock();
        return true;
    }

    fn check(self: *Connection, format: feed.FeedFormat, message: []const u8, is_binary: bool) !void {
        const heading = try format.decode(message, is_binary);
        if (heading.time_ns) |time_ns| {
            const now_ns = self.receiver.clock();
            if (time_ns > now_ns) return error.WrongMessage;
            try self.latencies.record(self.receiver.allocator, now_ns - time_ns);
        }
        if (heading.number) |number| _ = self.sequence.check(number);
    }
};
