//! Echoes messages with fastwebsockets, as its documentation shows, with a `FragmentCollector`.

use fastwebsockets::upgrade::UpgradeFut;
use fastwebsockets::{FragmentCollector, OpCode, WebSocketError};

use crate::splitting::{receive, send, split};

pub async fn echo(upgrading: UpgradeFut) -> Result<(), WebSocketError> {
    let mut websocket = FragmentCollector::new(upgrading.await?);
    loop {
        let frame = websocket.read_frame().await?;
        match frame.opcode {
            OpCode::Close => return Ok(()),
            OpCode::Text | OpCode::Binary => websocket.write_frame(frame).await?,
            _ => {}
        }
    }
}

/// Echoes messages over TLS, where each frame must be flushed (see `WebSocket::flush`): otherwise
/// the end of a long frame waits for the next one. Only the split form of a `WebSocket` can flush.
pub async fn echo_flushed(upgrading: UpgradeFut) -> Result<(), WebSocketError> {
    let (mut reader, writer) = split(upgrading.await?);
    loop {
        let frame = receive(&mut reader, &writer).await?;
        match frame.opcode {
            OpCode::Close => return Ok(()),
            OpCode::Text | OpCode::Binary => send(&writer, frame).await?,
            _ => {}
        }
    }
}
