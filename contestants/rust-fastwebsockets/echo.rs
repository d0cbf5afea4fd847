//! Exchanges echoes with fastwebsockets, as its documentation shows: a `FragmentCollector` writes
//! and reads frames.

use std::str::from_utf8;

use autostrada_kit::{Exchanger, Received};
use fastwebsockets::{FragmentCollector, Frame, OpCode};

use crate::connecting::{Error, close, connect};

pub async fn exchange(exchanger: &'static Exchanger) -> Result<(), Error> {
    let mut websocket = FragmentCollector::new(connect(exchanger.url()).await?);
    let mut exchange = exchanger.opened();
    let text = || Frame::text(exchanger.payload().as_bytes().into());
    websocket.write_frame(text()).await?;
    loop {
        let frame = websocket.read_frame().await?;
        let is_ongoing = match frame.opcode {
            OpCode::Text => exchange.answered(Received::Text(from_utf8(&frame.payload)?)),
            OpCode::Binary => exchange.answered(Received::Binary(&frame.payload)),
            OpCode::Close => return Err("the server has closed the connection".into()),
            _ => continue,
        };
        if !is_ongoing {
            close(&mut websocket).await;
            return Ok(());
        }
        websocket.write_frame(text()).await?;
    }
}
