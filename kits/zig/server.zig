//! Reads the settings of a server: docs/contract.md, section 4.

const std = @import("std");
const variables = @import("variables.zig");

/// The longest message that a program must accept, whatever the default of its library.
pub const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

pub const Server = struct {
    address: std.net.Address,

    /// Reads the environment variables, or ends the program with status 2 and the reason.
    pub fn read() Server {
        const host = variables.get("HOST") orelse "127.0.0.1";
        const port: u16 = @intCast(variables.readCount("PORT", null, std.math.maxInt(u16)));
        const address = std.net.Address.parseIp(host, port) catch
            variables.refuse("HOST", "an IP address", .{});
        return .{ .address = address };
    }
};
