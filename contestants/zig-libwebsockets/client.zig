//! Receives messages with libwebsockets, as its minimal examples show: one callback for the events
//! of all connections, an event loop, and lws_write only when a connection is writable.

const std = @import("std");
const kit = @import("kit");
const Session = @import("session.zig").Session;
const c = @import("session.zig").c;
const createContext = @import("session.zig").createContext;

const allocator = std.heap.c_allocator;
var client: kit.Client = undefined;
var ended: usize = 0;

pub fn main() !void {
    client = kit.Client.read(allocator);
    const protocols = [_]c.lws_protocols{ .{ .name = "client", .callback = onEvent }, std.mem.zeroes(c.lws_protocols) };
    const context = try createContext(&protocols, client.url.is_secure);
    for (try allocator.alloc(Session, client.connections)) |*session| {
        session.* = .{};
        try session.connect(context, client.url);
    }
    while (ended < client.connections)
        if (c.lws_service(context, 0) < 0) return error.NoContext;
    try client.finish();
}

fn onEvent(
    wsi: ?*c.lws,
    reason: c.enum_lws_callback_reasons,
    user: ?*anyopaque,
    in: ?*anyopaque,
    length: usize,
) callconv(.c) c_int {
    const session: *Session = @ptrCast(@alignCast(user orelse return 0));
    const data = if (in) |start| @as([*]const u8, @ptrCast(start))[0..length] else "";
    return handle(session, wsi, reason, data) catch |err| kit.fail(@errorName(err));
}

fn handle(session: *Session, wsi: ?*c.lws, reason: c.enum_lws_callback_reasons, data: []const u8) !c_int {
    switch (reason) {
        c.LWS_CALLBACK_CLIENT_CONNECTION_ERROR => kit.fail(if (data.len > 0) data else "cannot connect"),
        c.LWS_CALLBACK_CLIENT_ESTABLISHED => session.counted = try client.opened(),
        c.LWS_CALLBACK_CLIENT_RECEIVE => {
            const message = try session.take(wsi, data) orelse return 0;
            switch (session.counted.received()) {
                .receive => {},
                .reply => try session.reply(wsi, message),
                .close => {
                    c.lws_close_reason(wsi, c.LWS_CLOSE_STATUS_NORMAL, null, 0);
                    return -1; // The library closes the connection with this code.
                },
            }
        },
        c.LWS_CALLBACK_CLIENT_WRITEABLE => session.writeNext(wsi) catch return -1,
        c.LWS_CALLBACK_CLIENT_CLOSED => ended += 1,
        else => {},
    }
    return 0;
}
