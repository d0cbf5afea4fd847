//! Reads and validates environment variables: docs/contract.md. If one is wrong, it ends the program
//! with status 2.

const std = @import("std");

pub const get = std.posix.getenv;

/// Ends the program with the reason why a variable is wrong.
pub fn refuse(name: []const u8, comptime expected: []const u8, values: anytype) noreturn {
    if (get(name)) |text| {
        const format = "{s} is \"{f}\": give " ++ expected ++ "\n";
        std.debug.print(format, .{ name, std.zig.fmtString(text) } ++ values);
    } else {
        std.debug.print("{s} is not set\n", .{name});
    }
    std.process.exit(2);
}

/// Reads a whole number from 1 to `maximum`; without a default it is required.
pub fn readCount(name: []const u8, default: ?u64, maximum: u64) u64 {
    const text = get(name) orelse return default orelse refuse(name, "", .{});
    // The standard library also accepts signs and underscores.
    const is_number = std.mem.indexOfNone(u8, text, "0123456789") == null;
    const count = if (is_number) std.fmt.parseUnsigned(u64, text, 10) catch 0 else 0;
    if (count == 0 or count > maximum)
        refuse(name, "a whole number from 1 to {d}", .{maximum});
    return count;
}

/// Ends the program with the reason of a fatal error.
pub fn fail(reason: []const u8) noreturn {
    std.debug.print("{s}\n", .{reason});
    std.process.exit(1);
}
