//! Exchanges echoes with tokio-tungstenite, as its documentation shows: the socket is a stream and
//! a sink of messages.

use autostrada_kit::{Exchanger, Received};
use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::closing::close;

pub async fn exchange(exchanger: &'static Exchanger) -> Result<(), Error> {
    let (mut socket, _response) = connect_async(exchanger.url()).await?;
    let mut exchange = exchanger.opened();
    socket.send(Message::text(exchanger.payload())).await?;
    while let Some(message) = socket.next().await {
        let is_ongoing = match message? {
            Message::Text(text) => exchange.answered(Received::Text(&text)),
            Message::Binary(bytes) => exchange.answered(Received::Binary(&bytes)),
            _control => continue, // The library answers it itself.
        };
        if !is_ongoing {
            close(&mut socket).await;
            return Ok(());
        }
        socket.send(Message::text(exchanger.payload())).await?;
    }
    Err(Error::ConnectionClosed)
}
