//! Serves with LIBRARY, as its documentation shows.

use std::io;
use std::net::TcpListener;

use autostrada_kit::Server;

fn main() -> io::Result<()> {
    let server = Server::from_environment();
    for stream in TcpListener::bind(server.address())?.incoming() {
        // LIBRARY: accept the connection, without compression, for messages of up to 16 MiB.
        // LIBRARY: /echo: send each message back unchanged, until the connection ends.
        // LIBRARY: /publish: send each message to all connections to /subscribe.
        let reason = format!("server.rs lacks the calls of the library: {stream:?}");
        return Err(io::Error::other(reason));
    }
    Ok(())
}
