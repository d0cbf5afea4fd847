//! A connection of fastwebsockets that sends and receives at the same time.

use fastwebsockets::{FragmentCollectorRead, Frame, WebSocket, WebSocketError, WebSocketWrite};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::io::{ReadHalf, WriteHalf};
use tokio::sync::Mutex;

type Stream = TokioIo<Upgraded>;

pub type Reader = FragmentCollectorRead<ReadHalf<Stream>>;
/// The receiving task writes as well: pongs, and the answer to a close frame.
pub type Writer = Mutex<WebSocketWrite<WriteHalf<Stream>>>;

pub fn split(websocket: WebSocket<Stream>) -> (Reader, Writer) {
    let (read, write) = websocket.split(tokio::io::split);
    (FragmentCollectorRead::new(read), Mutex::new(write))
}

pub async fn send(writer: &Writer, frame: Frame<'_>) -> Result<(), WebSocketError> {
    let mut writer = writer.lock().await;
    writer.write_frame(frame).await?;
    // TLS may buffer data that did not fit into the socket.
    writer.flush().await
}

pub async fn receive(
    reader: &mut Reader,
    writer: &Writer,
) -> Result<Frame<'static>, WebSocketError> {
    let mut answer = async |frame| {
        let is_closed = writer.lock().await.is_closed();
        if is_closed {
            return Ok(());
        }
        send(writer, frame).await
    };
    reader.read_frame::<_, WebSocketError>(&mut answer).await
}
