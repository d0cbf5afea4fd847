//! Exchanges echoes with tungstenite's blocking client, as its documentation does: `connect`, `send`
//! and `read` for each message, `close`.

use autostrada_kit::Exchanger;
use tungstenite::{Message, connect, error::Error};

use crate::close;

pub fn echo(exchanger: &Exchanger) -> Result<(), Error> {
    let (mut socket, _response) = connect(exchanger.url())?;
    exchanger.opened();
    socket.send(Message::text(exchanger.payload()))?;
    loop {
        let goes_on = match socket.read()? {
            Message::Text(text) => exchanger.answered(Some(&text)),
            Message::Binary(_) => exchanger.answered(None),
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
