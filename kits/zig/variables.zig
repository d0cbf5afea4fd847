//! Reads and validates single environment variables.

const std = @import("std");

const COUNT_DIGITS_MAX = 15;

pub const Error = error{ WrongSetting, OutOfMemory };

pub const Variables = struct {
    environment: *const std.process.EnvMap,
    /// Values live as long as the program.
    allocator: std.mem.Allocator,
    /// One-line reason why a variable is wrong.
    reason: []const u8 = "",

    /// Stores the reason and returns the error.
    pub fn wrong(self: *Variables, comptime format: []const u8, values: anytype) Error {
        self.reason = std.fmt.allocPrint(self.allocator, format, values) catch
            return error.OutOfMemory;
        return error.WrongSetting;
    }

    /// Reads a variable; without a default it is required.
    pub fn read(self: *Variables, name: []const u8, default: ?[]const u8) Error![]const u8 {
        return self.environment.get(name) orelse default orelse
            self.wrong("{s} is missing: set it in the environment", .{name});
    }

    pub fn isSet(self: *const Variables, name: []const u8) bool {
        return self.environment.get(name) != null;
    }

    /// Reads a whole number from 1 to `maximum`.
    pub fn readCount(
        self: *Variables,
        name: []const u8,
        default: ?[]const u8,
        maximum: u64,
    ) Error!u64 {
        const text = try self.read(name, default);
        const count = parseDecimal(text, COUNT_DIGITS_MAX, 0) orelse 0;
        if (count == 0 or text[0] == '0') {
            return self.wrong("{s} must be a whole number from 1, not {f}", .{ name, quoted(text) });
        }
        if (count > maximum) {
            return self.wrong("{s} must be at most {d}, not {d}", .{ name, maximum, count });
        }
        return count;
    }

    /// Reads a number of seconds; returns nanoseconds.
    pub fn readSecondsNs(self: *Variables, name: []const u8, default: ?[]const u8) Error!u64 {
        const text = try self.read(name, default);
        return parseDecimal(text, 6, 9) orelse
            self.wrong("{s} must be seconds like 2 or 0.5, not {f}", .{ name, quoted(text) });
    }

    /// Reads a number of seconds greater than 0; returns nanoseconds.
    pub fn readTimeNs(self: *Variables, name: []const u8) Error!u64 {
        const time_ns = try self.readSecondsNs(name, null);
        if (time_ns == 0) {
            return self.wrong("{s} must be more than 0: nothing would count", .{name});
        }
        return time_ns;
    }

    /// Reads EVERY_MS, the interval of a schedule; returns nanoseconds.
    pub fn readIntervalNs(self: *Variables) Error!u64 {
        const text = try self.read("EVERY_MS", null);
        const every_ns = parseDecimal(text, 7, 6) orelse 0;
        if (every_ns == 0) {
            const format = "EVERY_MS must be milliseconds like 50 or 0.5, not {f}";
            return self.wrong(format, .{quoted(text)});
        }
        return every_ns;
    }

    /// Reads a variable with a fixed set of values; the first one is the default.
    pub fn readChoice(self: *Variables, comptime Choice: type, name: []const u8) Error!Choice {
        const names = std.meta.fieldNames(Choice);
        const text = try self.read(name, names[0]);
        return std.meta.stringToEnum(Choice, text) orelse {
            const choices = try std.mem.join(self.allocator, " or ", names);
            return self.wrong("{s} must be {s}, not {f}", .{ name, choices, quoted(text) });
        };
    }
};

/// Formats a text on one line in quotation marks.
pub fn quoted(text: []const u8) std.fmt.Alt([]const u8, writeQuoted) {
    return .{ .data = text };
}

fn writeQuoted(text: []const u8, writer: *std.Io.Writer) std.Io.Writer.Error!void {
    try writer.print("\"{f}\"", .{std.zig.fmtString(text)});
}

/// Parses a decimal number and returns it times ten to the power of `places`. Returns null if it is
/// malformed or has more than `digits_max` digits before the point or more than `places` after it.
fn parseDecimal(text: []const u8, digits_max: usize, places: usize) ?u64 {
    const point = std.mem.indexOfScalar(u8, text, '.');
    const whole = text[0 .. point orelse text.len];
    const fraction = if (point) |at| text[at + 1 ..] else "";
    if (whole.len == 0 or whole.len > digits_max or fraction.len > places) return null;
    if (point != null and fraction.len == 0) return null;
    var value: u64 = 0;
    for ([_][]const u8{ whole, fraction }) |digits| {
        for (digits) |digit| {
            if (!std.ascii.isDigit(digit)) return null;
            value = 10 * value + (digit - '0');
        }
    }
    for (fraction.len..places) |_| value *= 10;
    return value;
}

/// Reads settings, or ends the program with status 2 and the reason.
pub fn readOrExit(
    comptime Settings: type,
    comptime readFrom: fn (*Variables) Error!Settings,
    allocator: std.mem.Allocator,
) !Settings {
    const environment = try allocator.create(std.process.EnvMap);
    environment.* = try std.process.getEnvMap(allocator);
    var variables: Variables = .{ .environment = environment, .allocator = allocator };
    return readFrom(&variables) catch |err| switch (err) {
        error.WrongSetting => {
            std.debug.print("{s}\n", .{variables.reason});
            std.process.exit(2);
        },
        error.OutOfMemory => err,
    };
}
