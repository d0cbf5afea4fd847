//! Reads and validates environment variables: docs/contract.md.

const std = @import("std");

pub const Error = error{ WrongSetting, OutOfMemory };

pub const Variables = struct {
    environment: *const std.process.EnvMap,
    /// What it allocates lives as long as the program.
    allocator: std.mem.Allocator,
    /// One-line reason why a variable is wrong.
    reason: []const u8 = "",

    /// Stores the reason and returns the error.
    pub fn wrong(
        self: *Variables,
        name: []const u8,
        comptime expected: []const u8,
        values: anytype,
    ) Error {
        self.reason = if (self.environment.get(name)) |text| try std.fmt.allocPrint(
            self.allocator,
            "{s} is \"{f}\": give " ++ expected,
            .{ name, std.zig.fmtString(text) } ++ values,
        ) else try std.fmt.allocPrint(self.allocator, "{s} is not set", .{name});
        return error.WrongSetting;
    }

    /// Reads a whole number from 1 to `maximum`; without a default it is required.
    pub fn readCount(self: *Variables, name: []const u8, default: ?u64, maximum: u64) Error!u64 {
        const text = self.environment.get(name) orelse
            return default orelse self.wrong(name, "", .{});
        // The standard library also accepts signs and underscores.
        const is_number = std.mem.indexOfNone(u8, text, "0123456789") == null;
        const count = if (is_number) std.fmt.parseUnsigned(u64, text, 10) catch 0 else 0;
        if (count == 0 or count > maximum)
            return self.wrong(name, "a whole number from 1 to {d}", .{maximum});
        return count;
    }
};

/// Reads settings from the environment, or ends the program with status 2 and the reason.
pub fn readOrExit(comptime Settings: type, allocator: std.mem.Allocator) !Settings {
    const environment = try std.process.getEnvMap(allocator);
    var variables: Variables = .{ .environment = &environment, .allocator = allocator };
    return Settings.read(&variables) catch |err| {
        if (err != error.WrongSetting) return err;
        std.debug.print("{s}\n", .{variables.reason});
        std.process.exit(2);
    };
}

/// Ends the program with the reason of a fatal error.
pub fn fail(reason: []const u8) noreturn {
    std.debug.print("{s}\n", .{reason});
    std.process.exit(1);
}
