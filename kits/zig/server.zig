//! Reads the settings of a server: docs/contract.md, section 4.

const std = @import("std");
const variables = @import("variables.zig");

/// The longest message that a program must accept, whatever the default of its library.
pub const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

pub const Server = struct {
    address: std.net.Address,

    pub fn read(from: *variables.Variables) variables.Error!Server {
        const host = from.environment.get("HOST") orelse "127.0.0.1";
        const port: u16 = @intCast(try from.readCount("PORT", null, std.math.maxInt(u16)));
        const address = std.net.Address.parseIp(host, port) catch
            return from.wrong("HOST", "an IP address", .{});
        return .{ .address = address };
    }
};
