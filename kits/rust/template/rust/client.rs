//! Receives messages with LIBRARY, as its documentation shows.

use std::thread;

use autostrada_kit::{Action, Client, fail};

fn main() {
    let client = Client::from_environment();
    // LIBRARY: threads only if it has only blocking calls; tasks otherwise.
    thread::scope(|scope| {
        for _ in 0..client.connections {
            scope.spawn(|| open(client).unwrap_or_else(|error| fail(1, &error)));
        }
    });
    client.print_result();
}

fn open(client: &Client) -> Result<(), String> {
    // LIBRARY: open a connection to this address, without compression, for messages of up to 16 MiB.
    let messages = connect(&client.url)?;
    let mut connection = client.opened();
    // LIBRARY: read each message until the connection has ended.
    for _message in messages {
        match connection.received() {
            Action::Continue => {}
            Action::Reply => {} // LIBRARY: send the message back.
            Action::Close => {} // LIBRARY: start the closing handshake with code 1000.
        }
    }
    Ok(())
}

fn connect(url: &str) -> Result<Vec<String>, String> {
    Err(format!("client.rs lacks the calls of the library: {url}"))
}
