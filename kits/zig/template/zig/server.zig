//! Serves with LIBRARY, as its documentation shows.

const kit = @import("kit");

pub fn main() !void {
    const server = kit.Server.read();
    // LIBRARY: listen on server.address, without compression, for messages of up to kit.MESSAGE_BYTES_MAX.
    // LIBRARY: /echo sends each message back, unchanged.
    // LIBRARY: /subscribe gets what /publish sends, by the library's own function if it has one, else kit.Subscribers.
    _ = server.address;
    kit.fail("server.zig lacks the calls of the library");
}
