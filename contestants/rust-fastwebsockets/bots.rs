//! Bots with fastwebsockets: the connection is split, so that it sends and receives at once.

use std::sync::Arc;

use autostrada_kit::{Bots, Received};
use fastwebsockets::{Frame, OpCode};
use tokio::sync::Barrier;
use tokio::time::{sleep, timeout};
use tokio::try_join;

use crate::connecting::{Error, connect};
use crate::splitting::{receive, send, split};

/// What all connections wait at until the last one is open.
pub fn barrier(bots: &Bots) -> Arc<Barrier> {
    let connections = usize::try_from(bots.connections());
    Arc::new(Barrier::new(connections.unwrap_or(usize::MAX)))
}

pub async fn send_when_due(bots: &'static Bots, all_are_open: Arc<Barrier>) -> Result<(), Error> {
    let (mut reader, writer) = split(connect(bots.url()).await?);
    let bot = bots.opened();
    all_are_open.wait().await;
    let sending = async {
        while let Some(wait) = bot.time_to_event() {
            // Even a sleep of no time ends with a whole millisecond.
            if !wait.is_zero() {
                sleep(wait).await;
            }
            send(&writer, Frame::text(bot.next_event().into_bytes().into())).await?;
        }
        Ok::<_, Error>(())
    };
    let receiving = async {
        while !bot.is_over() {
            let frame = receive(&mut reader, &writer).await?;
            match frame.opcode {
                OpCode::Text => bot.answered(Received::Text(&frame.payload)),
                OpCode::Binary => bot.answered(Received::Binary(&frame.payload)),
                OpCode::Close => return Err("the server has closed the connection".into()),
                _ => {}
            }
        }
        Ok(())
    };
    let played = timeout(bot.time_to_end(), async { try_join!(sending, receiving) }).await;
    if let Ok(ended) = played {
        ended?;
    }
    // Whether the server answers is for the server to judge.
    if send(&writer, Frame::close(1000, b"")).await.is_ok() {
        while receive(&mut reader, &writer)
            .await
            .is_ok_and(|frame| frame.opcode != OpCode::Close)
        {}
    }
    Ok(())
}
