//! Echoes messages with std.http.Server.

const std = @import("std");
const Messages = @import("reading.zig").Messages;

const WebSocket = std.http.Server.WebSocket;
const CODE_1000 = "\x03\xe8";

/// Sends messages back until the connection ends.
pub fn echo(allocator: std.mem.Allocator, websocket: *WebSocket) !void {
    var messages: Messages = .{ .allocator = allocator, .websocket = websocket };
    defer messages.deinit();
    while (true) {
        const message = messages.next() catch |err| switch (err) {
            error.ConnectionClose => return websocket.writeMessage(CODE_1000, .connection_close),
            else => return err,
        };
        // The library leaves pings and close frames to the program.
        const opcode = if (message.opcode == .ping) .pong else message.opcode;
        try websocket.writeMessage(message.data, opcode);
    }
}
