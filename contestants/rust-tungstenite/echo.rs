//! Exchanges echoes with tungstenite's blocking client, as its documentation shows: `connect`,
//! `send` and `read` for each message, `close`.

use autostrada_kit::{Exchanger, Received};
use tungstenite::protocol::Role;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket, connect, error::Error};

use crate::close;

pub fn exchange(exchanger: &Exchanger) -> Result<(), Error> {
    let (socket, _response) = connect(exchanger.url())?;
    let MaybeTlsStream::Plain(stream) = socket.into_inner() else {
        panic!("a ws:// address has no TLS");
    };
    // A separate socket type, so that `read` has one caller per type and the compiler inlines it,
    // as in a program that only receives. The server sends nothing before the first message.
    let mut socket = WebSocket::from_raw_socket(stream, Role::Client, None);
    let mut exchange = exchanger.opened();
    socket.send(Message::text(exchanger.payload()))?;
    loop {
        let is_ongoing = match socket.read()? {
            Message::Text(text) => exchange.answered(Received::Text(&text)),
            Message::Binary(bytes) => exchange.answered(Received::Binary(&bytes)),
            _control => continue, // The library answers it itself.
        };
        if !is_ongoing {
            break;
        }
        socket.send(Message::text(exchanger.payload()))?;
    }
    close(&mut socket);
    Ok(())
}
