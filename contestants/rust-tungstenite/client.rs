//! Receives the messages that a server pushes with tungstenite's blocking client, as its
//! documentation shows: `connect`, `read` for each message, `close`.

mod echo;

use std::io::{ErrorKind::ConnectionReset, Read, Write};

use autostrada_kit::{Received, Receiver, run_on_threads};
use tungstenite::error::{Error, ProtocolError::ResetWithoutClosingHandshake};
use tungstenite::protocol::{CloseFrame, frame::coding::CloseCode};
use tungstenite::{Message, WebSocket, connect};

fn main() {
    run_on_threads(receive, echo::exchange);
}

fn receive(receiver: &Receiver) -> Result<(), Error> {
    let (mut socket, _response) = connect(receiver.url())?;
    let mut connection = receiver.opened();
    loop {
        // Matched by reference: moving the payload out of the message takes a tenth of the time.
        let message = match socket.read() {
            Ok(message) => message,
            Err(error) if has_server_closed(&error) => return Ok(()),
            Err(error) => return Err(error),
        };
        let is_all = match &message {
            Message::Text(text) => connection.received(Received::Text(text)),
            Message::Binary(bytes) => connection.received(Received::Binary(bytes)),
            _control => continue, // The library answers it itself.
        };
        if is_all {
            close(&mut socket);
            return Ok(());
        }
    }
}

/// Closes with code 1000. The server checks how the connection closes.
fn close(socket: &mut WebSocket<impl Read + Write>) {
    // With the default, `None`, the close frame would have no code.
    let frame = CloseFrame {
        code: CloseCode::Normal,
        reason: "".into(),
    };
    // Reading drives the closing handshake to its end, as documented at `close`.
    if socket.close(Some(frame)).is_ok() {
        while socket.read().is_ok() {}
    }
}

fn has_server_closed(error: &Error) -> bool {
    match error {
        Error::ConnectionClosed | Error::Protocol(ResetWithoutClosingHandshake) => true,
        Error::Io(error) => error.kind() == ConnectionReset,
        _ => false,
    }
}
