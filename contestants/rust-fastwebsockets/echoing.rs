//! Echoes with fastwebsockets, as its documentation does: a `FragmentCollector` reads and writes frames.

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

/// Does so under TLS, where each frame must be flushed, as documented at `WebSocket::flush`: the end
/// of a long one would wait for the next. A `FragmentCollector` cannot do that, but its split form.
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
