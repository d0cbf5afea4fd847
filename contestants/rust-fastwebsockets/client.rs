//! Receives the messages that a server pushes with fastwebsockets, as its documentation shows:
//! `handshake::client`, and a `FragmentCollector` that reads frames.

mod connecting;
mod echo;
mod splitting;
mod tasks;

use std::io::ErrorKind::ConnectionReset;
use std::str::from_utf8;

use autostrada_kit::{Exchanger, Received, Receiver, Workload};
use fastwebsockets::{FragmentCollector, OpCode, WebSocketError};

use connecting::{Error, close, connect};

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
    let mut websocket = FragmentCollector::new(connect(receiver.url()).await?);
    let mut connection = receiver.opened();
    loop {
        let frame = match websocket.read_frame().await {
            Err(WebSocketError::UnexpectedEOF) => return Ok(()),
            Err(WebSocketError::IoError(error)) if error.kind() == ConnectionReset => return Ok(()),
            read => read?,
        };
        let is_all = match frame.opcode {
            OpCode::Text => connection.received(Received::Text(from_utf8(&frame.payload)?)),
            OpCode::Binary => connection.received(Received::Binary(&frame.payload)),
            OpCode::Close => return Ok(()), // The library has answered it.
            _ => false,
        };
        if is_all {
            close(&mut websocket).await;
            return Ok(());
        }
    }
}
