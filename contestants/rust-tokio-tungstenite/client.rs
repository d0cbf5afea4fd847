//! Receives the messages that a server pushes with tokio-tungstenite, as its documentation shows:
//! `connect_async`, and the socket is a stream of messages.

mod closing;
mod echo;
mod tasks;

use std::io::ErrorKind::ConnectionReset;

use autostrada_kit::{Exchanger, Received, Receiver, Workload};
use futures_util::StreamExt;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::error::ProtocolError::ResetWithoutClosingHandshake;
use tokio_tungstenite::tungstenite::{Error, Message};

#[tokio::main]
async fn main() {
    match Workload::from_environment() {
        Workload::Receive => {
            let receiver = Receiver::from_environment();
            tasks::run(receiver.connections(), || receive(receiver)).await;
            receiver.finish();
        }
        Workload::Echo => {
            let exchanger = Exchanger::from_environment();
            tasks::run(exchanger.connections(), || echo::exchange(exchanger)).await;
            exchanger.finish();
        }
    }
}

async fn receive(receiver: &'static Receiver) -> Result<(), Error> {
    let (mut socket, _response) = connect_async(receiver.url()).await?;
    let mut connection = receiver.opened();
    while let Some(message) = socket.next().await {
        let is_all = match message {
            Ok(Message::Text(text)) => connection.received(Received::Text(&text)),
            Ok(Message::Binary(bytes)) => connection.received(Received::Binary(&bytes)),
            Ok(_control) => false, // The library answers it itself.
            Err(Error::Protocol(ResetWithoutClosingHandshake)) => break,
            Err(Error::Io(error)) if error.kind() == ConnectionReset => break,
            Err(error) => return Err(error),
        };
        if is_all {
            closing::close(&mut socket).await;
            break;
        }
    }
    Ok(())
}
