//! Bots with tokio-tungstenite: the socket is split, so that it sends and receives at once.

use std::sync::Arc;

use autostrada_kit::{Bots, Received};
use futures_util::{SinkExt, StreamExt};
use tokio::sync::Barrier;
use tokio::time::{sleep, timeout};
use tokio::try_join;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::closing::close;

/// What all connections wait at until the last one is open.
pub fn barrier(bots: &Bots) -> Arc<Barrier> {
    let connections = usize::try_from(bots.connections());
    Arc::new(Barrier::new(connections.unwrap_or(usize::MAX)))
}

pub async fn send_when_due(bots: &'static Bots, all_are_open: Arc<Barrier>) -> Result<(), Error> {
    let (socket, _response) = connect_async(bots.url()).await?;
    let bot = bots.opened();
    all_are_open.wait().await;
    let (mut write, mut read) = socket.split();
    let sending = async {
        while let Some(wait) = bot.time_to_event() {
            // Even a sleep of no time ends with a whole millisecond.
            if !wait.is_zero() {
                sleep(wait).await;
            }
            write.send(Message::text(bot.next_event())).await?;
        }
        Ok::<_, Error>(())
    };
    let receiving = async {
        while !bot.is_over() {
            match read.next().await.ok_or(Error::ConnectionClosed)?? {
                Message::Text(text) => bot.answered(Received::Text(text.as_bytes())),
                Message::Binary(bytes) => bot.answered(Received::Binary(&bytes)),
                _control => {} // The library answers it itself.
            }
        }
        Ok(())
    };
    let played = timeout(bot.time_to_end(), async { try_join!(sending, receiving) }).await;
    if let Ok(ended) = played {
        ended?;
    }
    let mut socket = read.reunite(write).expect("they are of one socket");
    close(&mut socket).await;
    Ok(())
}
