//! Builds the client and the server, with the kit and the library.

const std = @import("std");

pub fn build(b: *std.Build) void {
    const target = b.standardTargetOptions(.{});
    const optimize = b.standardOptimizeOption(.{});
    const kit = b.createModule(.{ .root_source_file = b.path("../../kits/zig/kit.zig"), .target = target, .optimize = optimize });
    for ([_][]const u8{ "client", "server" }) |name| {
        const root = b.createModule(.{
            .root_source_file = b.path(b.fmt("{s}.zig", .{name})),
            .target = target,
            .optimize = optimize,
        });
        root.addImport("kit", kit);
        // LIBRARY: root.addImport("LIBRARY", b.dependency("LIBRARY", .{}).module("LIBRARY"));
        b.installArtifact(b.addExecutable(.{ .name = name, .root_module = root }));
    }
}
