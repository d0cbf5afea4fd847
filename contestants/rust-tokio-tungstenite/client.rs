//! Receives messages with tokio-tungstenite, as its documentation shows: `connect_async`, and the
//! socket is a stream and a sink of messages.

use autostrada_kit::{Action, Client, fail, is_end_of_stream};
use futures_util::{SinkExt, StreamExt};
use tokio::task::JoinSet;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::error::ProtocolError::ResetWithoutClosingHandshake;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, frame::coding::CloseCode};

#[tokio::main]
async fn main() {
    let client = Client::from_environment();
    let receive = |_| async move { open(client).await.unwrap_or_else(|error| fail(1, &error)) };
    let connections: JoinSet<_> = (0..client.connections).map(receive).collect();
    connections.join_all().await;
    client.print_result();
}

async fn open(client: &Client) -> Result<(), Error> {
    let (mut socket, _response) = connect_async(&client.url).await?;
    let mut connection = client.opened();
    while let Some(message) = socket.next().await {
        let message = match message {
            Ok(message) if message.is_text() || message.is_binary() => message,
            Ok(_control) => continue, // The library answers it itself.
            Err(Error::Protocol(ResetWithoutClosingHandshake)) => break,
            Err(Error::Io(error)) if is_end_of_stream(&error) => break,
            Err(error) => return Err(error),
        };
        match connection.received() {
            Action::Continue => {}
            // If the server has ended the connection, the next read fails as well.
            Action::Reply => drop(socket.send(message).await),
            // Reading drives the closing handshake to its end.
            Action::Close => drop(socket.close(Some(normal())).await),
        }
    }
    Ok(())
}

/// Code 1000: with the default, `None`, the close frame has no code.
fn normal() -> CloseFrame {
    CloseFrame {
        code: CloseCode::Normal,
        reason: "".into(),
    }
}
