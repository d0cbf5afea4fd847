//! Receives the messages that a server pushes with LIBRARY, as its documentation shows.

use autostrada_kit::{Exchanger, Received, Receiver, run_on_threads};

fn main() {
    run_on_threads(receive, exchange);
}

fn receive(receiver: &Receiver) -> Result<(), String> {
    // LIBRARY: open a connection to this address, without compression, for messages of up to 16 MiB.
    let messages = connect(receiver.url())?;
    let mut connection = receiver.opened();
    // LIBRARY: read each message until the server closes.
    for text in messages {
        if connection.received(Received::Text(&text)) {
            // LIBRARY: start the closing handshake with code 1000.
            break;
        }
    }
    Ok(())
}

fn connect(url: &str) -> Result<Vec<String>, String> {
    Err(format!("client.rs lacks the calls of the library: {url}"))
}

/// The first tier requires only receiving; echoes are optional.
fn exchange(_exchanger: &Exchanger) -> Result<(), String> {
    Err("this client has no echo".to_owned())
}
