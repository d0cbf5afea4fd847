//! Closes a connection of tokio-tungstenite.

use futures_util::StreamExt;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, frame::coding::CloseCode};

/// Closes with code 1000. The peer checks how the connection closes.
pub async fn close<S: AsyncRead + AsyncWrite + Unpin>(socket: &mut WebSocketStream<S>) {
    // With the default, `None`, the close frame would have no code.
    let frame = CloseFrame {
        code: CloseCode::Normal,
        reason: "".into(),
    };
    // Reading drives the closing handshake until it reports the end.
    if socket.close(Some(frame)).await.is_ok() {
        while let Some(Ok(_)) = socket.next().await {}
    }
}
