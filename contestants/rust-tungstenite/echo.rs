//! Exchanges echoes with tungstenite's blocking client, as its documentation does: `connect`, `send`
//! and `read` for each message, `close`.

use autostrada_kit::{Exchanger, Received};
use tungstenite::{Message, connect, error::Error};

use crate::close;

pub fn exchange(exchanger: &Exchanger) -> Result<(), Error> {
    let (mut socket, _response) = connect(exchanger.url())?;
    let mut exchange = exchanger.opened();
    socket.send(Message::text(exchanger.payload()))?;
    loop {
        let goes_on = match socket.read()? {
            Message::Text(text) => exchange.answered(Received::Text(text.as_bytes())),
            Message::Binary(bytes) => exchange.answered(Received::Binary(&bytes)),
            _control => continue, // The library answers it itself.
        };
        if !goes_on {
            break;
        }
        socket.send(Message::text(exchanger.payload()))?;
    }
    close(&mut socket);
    Ok(())
}
