//! Runs a server as several processes that share one port.

const std = @import("std");
const posix = std.posix;

var children: []posix.pid_t = &.{};

/// Calls `serve` in this process or, with several workers, once in each child process.
pub fn runWorkers(
    allocator: std.mem.Allocator,
    workers: u64,
    context: anytype,
    comptime serve: fn (@TypeOf(context)) anyerror!void,
) !void {
    if (workers == 1) return serve(context);
    const started = try allocator.alloc(posix.pid_t, workers);
    setTermination(onTermination);
    for (started, 0..) |*child, index| {
        child.* = try posix.fork();
        if (child.* == 0) {
            setTermination(posix.SIG.DFL);
            // The worker must end with its parent, however that ends.
            _ = try posix.prctl(.SET_PDEATHSIG, .{posix.SIG.KILL});
            return serve(context);
        }
        children = started[0 .. index + 1];
    }
    _ = posix.waitpid(-1, 0);
    std.debug.print("a worker has ended\n", .{});
    endAll();
}

fn setTermination(handler: ?posix.Sigaction.handler_fn) void {
    const action: posix.Sigaction = .{
        .handler = .{ .handler = handler },
        .mask = posix.sigemptyset(),
        .flags = 0,
    };
    posix.sigaction(posix.SIG.TERM, &action, null);
}

fn onTermination(_: i32) callconv(.c) void {
    endAll();
}

fn endAll() noreturn {
    for (children) |child| posix.kill(child, posix.SIG.KILL) catch {};
    for (children) |child| {
        var status: u32 = undefined;
        _ = std.os.linux.waitpid(child, &status, 0);
    }
    std.os.linux.exit_group(1);
}
