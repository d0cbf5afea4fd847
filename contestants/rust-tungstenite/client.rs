//! Receives messages with tungstenite's blocking client, as its documentation shows: `connect`,
//! `read` for each message, `send`, `close`.

use std::thread;

use autostrada_kit::{Action, Client, fail, is_end_of_stream};
use tungstenite::connect;
use tungstenite::error::{Error, ProtocolError::ResetWithoutClosingHandshake};
use tungstenite::protocol::{CloseFrame, frame::coding::CloseCode};

fn main() {
    let client = Client::from_environment();
    let receive = || open(client).unwrap_or_else(|error| fail(1, &error));
    thread::scope(|scope| {
        for _ in 1..client.connections {
            scope.spawn(receive);
        }
        receive(); // A single connection needs no other thread.
    });
    client.print_result();
}

fn open(client: &Client) -> Result<(), Error> {
    let (mut socket, _response) = connect(&client.url)?;
    let mut connection = client.opened();
    loop {
        let message = match socket.read() {
            Ok(message) => message,
            Err(error) if has_ended(&error) => return Ok(()),
            Err(error) => return Err(error),
        };
        if !message.is_text() && !message.is_binary() {
            continue; // The library answers it itself.
        }
        match connection.received() {
            Action::Continue => {}
            // If the server has ended the connection, the next `read` fails as well.
            Action::Reply => drop(socket.send(message)),
            // Reading drives the closing handshake to its end, as documented at `close`.
            Action::Close => drop(socket.close(Some(CloseFrame {
                code: CloseCode::Normal, // With the default, `None`, the frame has no code.
                reason: "".into(),
            }))),
        }
    }
}

fn has_ended(error: &Error) -> bool {
    match error {
        Error::ConnectionClosed | Error::Protocol(ResetWithoutClosingHandshake) => true,
        Error::Io(error) => is_end_of_stream(error),
        _ => false,
    }
}
