//! Connections of fastwebsockets that are split into a reader and a writer, as in its example
//! `echo_server_split.rs`: those of subscribers, which receive and send at the same time, and those
//! that must flush.

use std::sync::Arc;

use fastwebsockets::upgrade::UpgradeFut;
use fastwebsockets::{FragmentCollectorRead, Frame, OpCode, WebSocketError, WebSocketWrite};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::io::{WriteHalf, split};
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// What receives writes as well: pongs, and the answer to a closing frame.
type Writer = Mutex<WebSocketWrite<WriteHalf<TokioIo<Upgraded>>>>;
type Queue = UnboundedSender<(OpCode, Arc<[u8]>)>;

static SUBSCRIBERS: std::sync::Mutex<Vec<Queue>> = std::sync::Mutex::new(Vec::new());

pub fn send_to_all(frame: &Frame<'_>) {
    let message = (frame.opcode, Arc::from(&*frame.payload));
    let mut subscribers = SUBSCRIBERS.lock().unwrap();
    // Fails for a subscriber that has left.
    subscribers.retain(|queue| queue.send(message.clone()).is_ok());
}

pub async fn subscribe(upgrading: UpgradeFut) -> Result<(), WebSocketError> {
    let (reader, writer) = upgrading.await?.split(split);
    let (mut reader, writer) = (FragmentCollectorRead::new(reader), Writer::new(writer));
    let (queue, mut messages) = unbounded_channel();
    SUBSCRIBERS.lock().unwrap().push(queue);
    let sending = async {
        while let Some((opcode, payload)) = messages.recv().await {
            let frame = Frame::new(true, opcode, None, (&*payload).into());
            send(&writer, frame).await?;
        }
        Ok(())
    };
    // What a subscriber sends is ignored.
    let receiving = async {
        let mut answer = |frame| send(&writer, frame);
        while reader.read_frame(&mut answer).await?.opcode != OpCode::Close {}
        Ok(())
    };
    tokio::select! {
        ended = sending => ended,
        ended = receiving => ended,
    }
}

/// Echoes messages over TLS, where each frame must be flushed (see `WebSocket::flush`): otherwise
/// the end of a long frame waits for the next one. A `FragmentCollector` cannot flush.
pub async fn echo(upgrading: UpgradeFut) -> Result<(), WebSocketError> {
    let (reader, writer) = upgrading.await?.split(split);
    let (mut reader, writer) = (FragmentCollectorRead::new(reader), Writer::new(writer));
    let mut answer = |frame| send(&writer, frame);
    loop {
        let frame = reader.read_frame(&mut answer).await?;
        match frame.opcode {
            OpCode::Close => return Ok(()),
            OpCode::Text | OpCode::Binary => send(&writer, frame).await?,
            _ => {}
        }
    }
}

async fn send(writer: &Writer, frame: Frame<'_>) -> Result<(), WebSocketError> {
    let mut writer = writer.lock().await;
    writer.write_frame(frame).await?;
    writer.flush().await
}
