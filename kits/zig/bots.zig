//! Bots: connections that send when it is due. docs/contract.md, section 6.

const std = @import("std");
const clock = @import("clock.zig");
const latency = @import("latency.zig");
const schedule = @import("schedule.zig");
const settings = @import("settings.zig");

const DIGITS = 20;

/// What a bot does next.
pub const Step = union(enum) {
    /// It sends a text, which is valid until the next step of any bot.
    send: []const u8,
    /// It waits for so many nanoseconds, or for an answer; null: for the other bots to open.
    wait_ns: ?u64,
    /// It starts the closing handshake with 1000.
    close,
};

/// All connections' events, and the client's line.
///
/// Call `opened` for each connection, `next` and `answered` of what it returns, and `finish` when all
/// connections are closed.
pub const Bots = struct {
    allocator: std.mem.Allocator,
    settings: settings.BotSettings,
    output: *std.Io.Writer,
    clock: *const fn () u64 = clock.nowNs,
    bots: std.ArrayList(*Bot) = .empty,
    /// Null until the last connection is open.
    start_ns: ?u64 = null,
    text: std.Io.Writer.Allocating,

    pub fn init(
        allocator: std.mem.Allocator,
        given: settings.BotSettings,
        output: *std.Io.Writer,
    ) Bots {
        return .{
            .allocator = allocator,
            .settings = given,
            .output = output,
            .text = .init(allocator),
        };
    }

    pub fn deinit(self: *Bots) void {
        for (self.bots.items) |bot| {
            bot.latencies.deinit(self.allocator);
            self.allocator.destroy(bot);
        }
        self.bots.deinit(self.allocator);
        self.text.deinit();
    }

    /// Notes that a connection is open, and returns its bot. When `start_ns` is set, all may begin.
    pub fn opened(self: *Bots) !*Bot {
        const bot = try self.allocator.create(Bot);
        bot.* = .{ .bots = self, .connection = self.bots.items.len };
        try self.bots.append(self.allocator, bot);
        if (self.bots.items.len == self.settings.echo.connections) self.start_ns = self.clock();
        return bot;
    }

    /// Prints the result.
    pub fn finish(self: *Bots) !void {
        var sent: u64 = 0;
        var wrong: u64 = 0;
        var latencies: latency.Latencies = .{};
        defer latencies.deinit(self.allocator);
        for (self.bots.items) |bot| {
            sent += bot.counted;
            wrong += bot.wrong;
            try latencies.merge(self.allocator, &bot.latencies);
        }
        try self.output.print(
            "{{\"event\":\"result\",\"connections\":{d},\"sent\":{d},\"echoed\":{d}," ++
                "\"wrong\":{d},\"window_ns\":{d},\"response_time_ns\":{f}}}\n",
            .{
                self.bots.items.len, sent,                         latencies.total(),
                wrong,               self.settings.echo.window_ns, latencies,
            },
        );
        try self.output.flush();
    }

    /// Returns the text of an event.
    fn stamp(self: *Bots, event: u64, due_ns: u64) ![]const u8 {
        self.text.clearRetainingCapacity();
        try schedule.writeStamp(&self.text.writer, event, due_ns, self.settings.echo.payload);
        return self.text.written();
    }
};

/// One connection's events.
pub const Bot = struct {
    bots: *Bots,
    connection: u64,
    latencies: latency.Latencies = .{},
    wrong: u64 = 0,
    /// How many were sent of those that were due within the window.
    counted: u64 = 0,
    sent: u64 = 0,
    /// The number of the first event that is not answered.
    unanswered: u64 = 0,

    /// Returns what is to be done.
    pub fn next(self: *Bot) !Step {
        if (self.bots.start_ns == null) return .{ .wait_ns = null };
        const now_ns = self.bots.clock();
        const due_ns = self.dueNs(self.sent);
        if (due_ns >= self.endNs()) {
            const until_ns = self.endNs() + self.bots.settings.drain_ns;
            if (self.unanswered == self.sent or now_ns >= until_ns) return .close;
            return .{ .wait_ns = until_ns - now_ns };
        }
        if (now_ns < due_ns) return .{ .wait_ns = due_ns - now_ns };
        const text = try self.bots.stamp(self.sent, due_ns);
        if (self.isCounted(self.sent)) self.counted += 1;
        self.sent += 1;
        return .{ .send = text };
    }

    /// Judges an answer; returns whether it was the last one, so that there is a next step.
    pub fn answered(self: *Bot, answer: []const u8, is_binary: bool) !bool {
        const now_ns = self.bots.clock();
        const event = self.eventOf(answer);
        const is_right = !is_binary and event >= self.unanswered and event < self.sent and
            std.mem.eql(u8, answer, try self.bots.stamp(event, self.dueNs(event)));
        if (!is_right) {
            self.wrong += 1;
            return false;
        }
        self.unanswered = event + 1;
        if (self.isCounted(event)) {
            try self.latencies.record(self.bots.allocator, now_ns - self.dueNs(event));
        }
        return self.unanswered == self.sent and self.dueNs(self.sent) >= self.endNs();
    }

    /// Returns the number of an event; of what is none, that of one that is not sent.
    fn eventOf(self: *const Bot, answer: []const u8) u64 {
        if (answer.len < DIGITS) return self.sent;
        return std.fmt.parseInt(u64, answer[0..DIGITS], 10) catch self.sent;
    }

    fn isCounted(self: *const Bot, event: u64) bool {
        const due_ns = self.dueNs(event);
        const begins_ns = self.bots.start_ns.? + self.bots.settings.echo.warm_up_ns;
        return due_ns >= begins_ns and due_ns < self.endNs();
    }

    fn endNs(self: *const Bot) u64 {
        const echo = self.bots.settings.echo;
        return self.bots.start_ns.? + echo.warm_up_ns + echo.window_ns;
    }

    fn dueNs(self: *const Bot, event: u64) u64 {
        const given = self.bots.settings;
        const place: schedule.Place = .{
            .connection = self.connection,
            .connections = given.echo.connections,
        };
        return schedule.dueNs(self.bots.start_ns.?, given.every_ns, place, event);
    }
};
