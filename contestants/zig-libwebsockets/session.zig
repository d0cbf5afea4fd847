//! A context of the library, and one connection: it assembles messages, which the library delivers
//! in pieces, and keeps replies until the library reports that the connection is writable.

const std = @import("std");
const kit = @import("kit");

pub const c = @cImport({
    @cInclude("libwebsockets.h");
    @cInclude("stdlib.h");
});

const allocator = std.heap.c_allocator;

const Reply = struct { padded: []u8, type: c.enum_lws_write_protocol };

pub fn createContext(protocols: []const c.lws_protocols, is_secure: bool) !*c.lws_context {
    c.lws_set_log_level(c.LLL_ERR, null); // Otherwise it prints notices.
    _ = c.unsetenv("http_proxy"); // The library would connect through this proxy.
    var info = std.mem.zeroes(c.lws_context_creation_info);
    info.port = c.CONTEXT_PORT_NO_LISTEN;
    info.protocols = protocols.ptr;
    if (is_secure) info.options = c.LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    return c.lws_create_context(&info) orelse return error.NoContext;
}

pub const Session = struct {
    counted: *kit.Connection = undefined,
    /// Pieces of an incomplete message.
    pieces: std.ArrayList(u8) = .empty,
    replies: std.ArrayList(Reply) = .empty,

    pub fn connect(self: *Session, context: *c.lws_context, url: kit.Url) !void {
        var info = std.mem.zeroes(c.lws_client_connect_info);
        info.context = context;
        info.address = url.host;
        info.port = url.port;
        info.path = url.target;
        info.host = url.authority;
        info.ssl_connection = if (url.is_secure) c.LCCSCF_USE_SSL else 0;
        info.userdata = self;
        if (c.lws_client_connect_via_info(&info) == null) return error.CannotConnect;
    }

    /// Adds a piece and returns the message if it is complete.
    pub fn take(self: *Session, wsi: ?*c.lws, piece: []const u8) !?[]const u8 {
        const is_first = c.lws_is_first_fragment(wsi) != 0;
        const is_last = c.lws_is_final_fragment(wsi) != 0;
        if (is_first and is_last) return piece;
        if (is_first) self.pieces.clearRetainingCapacity();
        try self.pieces.appendSlice(allocator, piece);
        return if (is_last) self.pieces.items else null;
    }

    pub fn reply(self: *Session, wsi: ?*c.lws, message: []const u8) !void {
        // The library writes the frame header in front of the payload.
        const padded = try allocator.alloc(u8, c.LWS_PRE + message.len);
        @memcpy(padded[c.LWS_PRE..], message);
        try self.replies.append(allocator, .{
            .padded = padded,
            .type = if (c.lws_frame_is_binary(wsi) != 0) c.LWS_WRITE_BINARY else c.LWS_WRITE_TEXT,
        });
        _ = c.lws_callback_on_writable(wsi);
    }

    /// Writes the next reply, of which the library allows one for each event.
    pub fn writeNext(self: *Session, wsi: ?*c.lws) !void {
        if (self.replies.items.len == 0) return;
        const next = self.replies.orderedRemove(0);
        defer allocator.free(next.padded);
        const payload = next.padded[c.LWS_PRE..];
        if (c.lws_write(wsi, payload.ptr, payload.len, next.type) < 0) return error.ConnectionClosed;
        if (self.replies.items.len > 0) _ = c.lws_callback_on_writable(wsi);
    }
};
