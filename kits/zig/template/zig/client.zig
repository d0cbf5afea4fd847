//! Receives messages with LIBRARY, as its documentation shows.

const std = @import("std");
const kit = @import("kit");

const allocator = std.heap.smp_allocator;
var client: kit.Client = undefined;

pub fn main() !void {
    client = kit.Client.read(allocator);
    try run();
    try client.finish();
}

/// Opens all connections and returns when they have ended. The kit is not thread-safe: one event loop, on one
/// thread, serves all connections.
fn run() !void {
    // LIBRARY: open client.connections connections to client.url, without compression, for messages of up to
    // kit.MESSAGE_BYTES_MAX; call opened and received.
    kit.fail("client.zig lacks the calls of the library");
}

const Session = struct {
    counted: *kit.Connection = undefined,

    fn opened(self: *Session) !void {
        self.counted = try client.opened();
    }

    fn received(self: *Session) !void {
        switch (self.counted.received()) {
            .receive => {},
            .reply => {}, // LIBRARY: send the message back.
            .close => {}, // LIBRARY: start the closing handshake with code 1000.
        }
    }
};
