//! Receives messages with fastwebsockets, as its documentation shows: `handshake::client`, and a
//! `FragmentCollector` that reads and writes frames.

mod connecting;

use std::error;
use std::str::from_utf8;

use autostrada_kit::{Action, Client, fail, is_end_of_stream};
use fastwebsockets::{FragmentCollector, Frame, OpCode, WebSocketError};
use tokio::task::JoinSet;

type Error = Box<dyn error::Error + Send + Sync>;

#[tokio::main]
async fn main() {
    let client = Client::from_environment();
    let receive = |_| async move { open(client).await.unwrap_or_else(|error| fail(1, &error)) };
    let connections: JoinSet<_> = (0..client.connections).map(receive).collect();
    connections.join_all().await;
    client.print_result();
}

async fn open(client: &Client) -> Result<(), Error> {
    let mut websocket = FragmentCollector::new(connecting::connect(&client.url).await?);
    let mut connection = client.opened();
    loop {
        let frame = match websocket.read_frame().await {
            Err(WebSocketError::UnexpectedEOF) => return Ok(()),
            Err(WebSocketError::IoError(error)) if is_end_of_stream(&error) => return Ok(()),
            // A message that arrives after the closing frame was sent.
            Err(WebSocketError::ConnectionClosed) => continue,
            read => read?,
        };
        match frame.opcode {
            OpCode::Text => _ = from_utf8(&frame.payload)?,
            OpCode::Binary => {}
            OpCode::Close => return Ok(()), // The library has answered it.
            _ => continue,
        }
        match connection.received() {
            Action::Continue => {}
            // If the server has ended the connection, the next read fails as well.
            Action::Reply => drop(websocket.write_frame(frame).await),
            Action::Close => drop(websocket.write_frame(Frame::close(1000, b"")).await),
        }
    }
}
