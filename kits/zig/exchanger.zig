//! Counts a client's echoes and prints its result line: docs/contract.md, section 5.

const std = @import("std");
const clock = @import("clock.zig");
const settings = @import("settings.zig");

/// Counts the echoes of all connections of a client and prints the result line.
///
/// Call `opened` for each connection, `answered` for each answer, and `finish` when all connections
/// are closed.
pub const Exchanger = struct {
    settings: settings.EchoSettings,
    output: *std.Io.Writer,
    clock: *const fn () u64 = clock.nowNs,
    connections: u64 = 0,
    echoed: u64 = 0,
    wrong: u64 = 0,
    /// Start of the window, in nanoseconds; null until the last connection is open.
    begins_ns: ?u64 = null,

    /// Registers an open connection, which must then send its first message.
    pub fn opened(self: *Exchanger) void {
        self.connections += 1;
        if (self.connections == self.settings.connections) {
            self.begins_ns = self.clock() + self.settings.warm_up_ns;
        }
    }

    /// Counts one answer. Returns true to send the next message, false to close with code 1000.
    pub fn answered(self: *Exchanger, answer: []const u8, is_binary: bool) bool {
        const is_right = !is_binary and std.mem.eql(u8, answer, self.settings.payload);
        if (!is_right) self.wrong += 1;
        const begins_ns = self.begins_ns orelse return true;
        // Reading the clock is cheap compared with an echo.
        const now_ns = self.clock();
        const is_ongoing = now_ns < begins_ns + self.settings.window_ns;
        if (is_right and is_ongoing and now_ns >= begins_ns) self.echoed += 1;
        return is_ongoing;
    }

    /// Prints the result line.
    pub fn finish(self: *Exchanger) !void {
        try self.output.print(
            "{{\"event\":\"result\",\"connections\":{d},\"echoed\":{d},\"wrong\":{d}," ++
                "\"window_ns\":{d}}}\n",
            .{ self.connections, self.echoed, self.wrong, self.settings.window_ns },
        );
        try self.output.flush();
    }
};
