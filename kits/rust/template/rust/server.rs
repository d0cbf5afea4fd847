//! Echoes messages with LIBRARY, as its documentation shows.

use autostrada_kit::{ServerSettings, fail};

fn main() {
    let settings = ServerSettings::from_environment();
    for stream in settings.listen().incoming() {
        // LIBRARY: accept the connection, without compression, for messages of up to 16 MiB.
        // LIBRARY: read each message and send it back unchanged, until the connection ends.
        fail(
            1,
            &format!("server.rs lacks the calls of the library: {stream:?}"),
        );
    }
}
