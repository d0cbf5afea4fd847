//! A client's connections with libwebsockets, in one event loop on one thread.

const std = @import("std");
const kit = @import("kit");
const c = @cImport(@cInclude("libwebsockets.h"));

pub const allocator = std.heap.c_allocator;

/// One connection. Its functions may be called only from the client's event handlers.
pub const Connection = struct {
    wsi: ?*c.lws = null,
    /// Received pieces of an incomplete message, and the message that is being sent.
    received: std.ArrayList(u8) = .empty,
    sent: std.ArrayList(u8) = .empty,
    is_closing: bool = false,

    /// Makes the library call `writable` as soon as something can be sent.
    pub fn wantToWrite(self: *Connection) void {
        _ = c.lws_callback_on_writable(self.wsi);
    }

    /// Sends a text. May be called only from `writable`, and once per call.
    pub fn write(self: *Connection, text: []const u8) !void {
        // The library writes the frame header in front of the text.
        try self.sent.resize(allocator, c.LWS_PRE + text.len);
        const payload = self.sent.items[c.LWS_PRE..];
        @memcpy(payload, text);
        if (c.lws_write(self.wsi, payload.ptr, payload.len, c.LWS_WRITE_TEXT) < 0) {
            return error.CannotWrite;
        }
    }

    /// Makes the library call `timer` after `delay_ns` nanoseconds.
    pub fn setTimer(self: *Connection, delay_ns: u64) void {
        // Rounded up, because a timer that fires too early would fire twice.
        c.lws_set_timer_usecs(self.wsi, @intCast(delay_ns / std.time.ns_per_us + 1));
    }

    /// Starts the closing handshake with code 1000 when the event handler returns.
    pub fn close(self: *Connection) void {
        self.is_closing = true;
    }

    /// Adds a piece and returns the message if it is complete: the library delivers long ones in
    /// pieces.
    fn take(self: *Connection, piece: []const u8) !?[]const u8 {
        const is_first = c.lws_is_first_fragment(self.wsi) != 0;
        const is_last = c.lws_is_final_fragment(self.wsi) != 0;
        if (is_first and is_last) return piece;
        if (is_first) self.received.clearRetainingCapacity();
        try self.received.appendSlice(allocator, piece);
        return if (is_last) self.received.items else null;
    }
};

/// Opens a connection for each client, and returns when all are closed.
///
/// A client has a `connection` and handles its events: `opened`, `received`, `writable`, `timer`
/// and `closed`.
pub fn run(comptime Client: type, url: kit.Url, clients: []Client) !void {
    // Without this, notices would be printed on stderr.
    c.lws_set_log_level(c.LLL_ERR, null);
    const protocols = [_]c.lws_protocols{
        .{ .name = "client", .callback = Callback(Client).call },
        std.mem.zeroes(c.lws_protocols),
    };
    var info = std.mem.zeroes(c.lws_context_creation_info);
    info.port = c.CONTEXT_PORT_NO_LISTEN;
    info.protocols = &protocols;
    const context = c.lws_create_context(&info) orelse return error.NoContext;
    defer c.lws_context_destroy(context);

    const authority = try std.fmt.allocPrintSentinel(allocator, "{s}:{d}", .{ url.host, url.port }, 0);
    for (clients) |*client| {
        var connecting = std.mem.zeroes(c.lws_client_connect_info);
        connecting.context = context;
        connecting.address = url.host;
        connecting.port = url.port;
        connecting.path = url.target;
        connecting.host = authority;
        connecting.userdata = client;
        connecting.pwsi = @ptrCast(&client.connection.wsi);
        if (c.lws_client_connect_via_info(&connecting) == null) return error.CannotConnect;
    }
    Callback(Client).left = clients.len;
    while (Callback(Client).left > 0) _ = c.lws_service(context, 0);
}

fn Callback(comptime Client: type) type {
    return struct {
        /// Number of connections that are not closed yet.
        var left: usize = 0;

        fn call(
            _: ?*c.lws,
            reason: c.enum_lws_callback_reasons,
            user: ?*anyopaque,
            in: ?*anyopaque,
            length: usize,
        ) callconv(.c) c_int {
            const client: *Client = @ptrCast(@alignCast(user orelse return 0));
            const was_closing = client.connection.is_closing;
            const data = if (in) |start| @as([*]const u8, @ptrCast(start))[0..length] else "";
            notify(client, reason, data) catch |err| fail(@errorName(err));
            if (was_closing or !client.connection.is_closing) return 0;
            c.lws_close_reason(client.connection.wsi, c.LWS_CLOSE_STATUS_NORMAL, null, 0);
            return -1;
        }

        fn notify(client: *Client, reason: c.enum_lws_callback_reasons, data: []const u8) !void {
            switch (reason) {
                c.LWS_CALLBACK_CLIENT_ESTABLISHED => try client.opened(),
                c.LWS_CALLBACK_CLIENT_RECEIVE => {
                    const is_binary = c.lws_frame_is_binary(client.connection.wsi) != 0;
                    if (client.connection.is_closing) return;
                    if (try client.connection.take(data)) |message| {
                        try client.received(message, is_binary);
                    }
                },
                c.LWS_CALLBACK_CLIENT_WRITEABLE => {
                    if (!client.connection.is_closing) try client.writable();
                },
                c.LWS_CALLBACK_TIMER => try client.timer(),
                c.LWS_CALLBACK_CLIENT_CONNECTION_ERROR => {
                    fail(if (data.len > 0) data else "the connection was refused");
                },
                c.LWS_CALLBACK_CLIENT_CLOSED => {
                    left -= 1;
                    client.closed();
                },
                else => {},
            }
        }
    };
}

/// Ends the program with the reason of a fatal error.
pub fn fail(reason: []const u8) noreturn {
    std.debug.print("cannot go on: {s}\n", .{reason});
    std.process.exit(1);
}
