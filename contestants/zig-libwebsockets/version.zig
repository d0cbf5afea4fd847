//! Prints the library's version.

const std = @import("std");
const c = @cImport(@cInclude("libwebsockets.h"));

pub fn main() !void {
    const version = std.mem.span(c.lws_get_library_version());
    // Debian's build appends a hyphen without a revision.
    try std.fs.File.stdout().writeAll(std.mem.trimRight(u8, version, "-"));
    try std.fs.File.stdout().writeAll("\n");
}
