//! How a connection of tokio-tungstenite ends.

use futures_util::StreamExt;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, frame::coding::CloseCode};

/// Closes with 1000. Whether the peer answers is for the peer to judge.
pub async fn close<S: AsyncRead + AsyncWrite + Unpin>(socket: &mut WebSocketStream<S>) {
    // By default, `None`, the close frame would have no code.
    let frame = CloseFrame {
        code: CloseCode::Normal,
        reason: "".into(),
    };
    // Reading drives the closing handshake until it reports the end.
    if socket.close(Some(frame)).await.is_ok() {
        while let Some(Ok(_)) = socket.next().await {}
    }
}
