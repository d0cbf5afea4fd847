//! Connections of fastwebsockets whose frames a `FragmentCollector` reads and writes, as its
//! documentation shows.

use fastwebsockets::upgrade::UpgradeFut;
use fastwebsockets::{FragmentCollector, OpCode, WebSocketError};

use crate::splitting;

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

pub async fn publish(upgrading: UpgradeFut) -> Result<(), WebSocketError> {
    let mut websocket = FragmentCollector::new(upgrading.await?);
    loop {
        let frame = websocket.read_frame().await?;
        match frame.opcode {
            OpCode::Close => return Ok(()),
            OpCode::Text | OpCode::Binary => splitting::send_to_all(&frame),
            _ => {}
        }
    }
}
