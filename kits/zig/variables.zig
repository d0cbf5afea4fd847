//! Reads single variables of the environment, or says which one is wrong.

const std = @import("std");

const COUNT_DIGITS_MAX = 15;

pub const Error = error{ WrongSetting, OutOfMemory };

pub const Variables = struct {
    environment: *const std.process.EnvMap,
    /// What is read lives as long as the program.
    allocator: std.mem.Allocator,
    /// In one line, why something could not be read.
    reason: []const u8 = "",

    /// Keeps the reason, and returns the error.
    pub fn wrong(self: *Variables, comptime format: []const u8, values: anytype) Error {
        self.reason = std.fmt.allocPrint(self.allocator, format, values) catch
            return error.OutOfMemory;
        return error.WrongSetting;
    }

    /// Reads a variable; without a default it must be there.
    pub fn read(self: *Variables, name: []const u8, default: ?[]const u8) Error![]const u8 {
        return self.environment.get(name) orelse default orelse
            self.wrong("{s} is missing: set it in the environment", .{name});
    }

    pub fn isSet(self: *const Variables, name: []const u8) bool {
        return self.environment.get(name) != null;
    }

    /// Reads a whole number, at least 1.
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

    /// Reads seconds, as nanoseconds.
    pub fn readSecondsNs(self: *Variables, name: []const u8, default: ?[]const u8) Error!u64 {
        const text = try self.read(name, default);
        return parseDecimal(text, 6, 9) orelse
            self.wrong("{s} must be seconds like 2 or 0.5, not {f}", .{ name, quoted(text) });
    }

    /// Reads seconds that must be more than 0, as nanoseconds.
    pub fn readTimeNs(self: *Variables, name: []const u8) Error!u64 {
        const time_ns = try self.readSecondsNs(name, null);
        if (time_ns == 0) {
            return self.wrong("{s} must be more than 0: nothing would count", .{name});
        }
        return time_ns;
    }

    /// Reads the interval of a schedule, as nanoseconds.
    pub fn readIntervalNs(self: *Variables) Error!u64 {
        const text = try self.read("EVERY_MS", null);
        const every_ns = parseDecimal(text, 7, 6) orelse 0;
        if (every_ns == 0) {
            const format = "EVERY_MS must be milliseconds like 50 or 0.5, not {f}";
            return self.wrong(format, .{quoted(text)});
        }
        return every_ns;
    }

    /// Reads one of few values; the first is the default.
    pub fn readChoice(self: *Variables, comptime Choice: type, name: []const u8) Error!Choice {
        const names = std.meta.fieldNames(Choice);
        const text = try self.read(name, names[0]);
        return std.meta.stringToEnum(Choice, text) orelse {
            const choices = try std.mem.join(self.allocator, " or ", names);
            return self.wrong("{s} must be {s}, not {f}", .{ name, choices, quoted(text) });
        };
    }
};

/// A text in one line, in quotation marks.
pub fn quoted(text: []const u8) std.fmt.Alt([]const u8, writeQuoted) {
    return .{ .data = text };
}

fn writeQuoted(text: []const u8, writer: *std.Io.Writer) std.Io.Writer.Error!void {
    try writer.print("\"{f}\"", .{std.zig.fmtString(text)});
}

/// Returns a decimal number times ten to the power of `places`; null where it is none, or has more
/// digits before the point than `digits_max` or after it than `places`.
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

/// Calls a function that reads, or ends the program with status 2 and the reason.
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
