//! Sends what publishers send to all subscribers, each of which has a queue, as in the library's
//! example of a chat.

use std::sync::Mutex;

use futures_util::{StreamExt, TryStreamExt, future, stream::poll_fn};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{Message, Result};

static SUBSCRIBERS: Mutex<Vec<UnboundedSender<Message>>> = Mutex::new(Vec::new());

pub async fn publish(
    mut socket: WebSocketStream<impl AsyncRead + AsyncWrite + Unpin>,
) -> Result<()> {
    while let Some(message) = socket.try_next().await? {
        if message.is_text() || message.is_binary() {
            let mut subscribers = SUBSCRIBERS.lock().unwrap();
            // Fails for a subscriber that has left.
            subscribers.retain(|queue| queue.send(message.clone()).is_ok());
        }
    }
    Ok(())
}

pub async fn subscribe(socket: WebSocketStream<impl AsyncRead + AsyncWrite + Unpin>) -> Result<()> {
    let (queue, mut messages) = unbounded_channel();
    SUBSCRIBERS.lock().unwrap().push(queue);
    let (write, read) = socket.split();
    let waiting = poll_fn(|context| messages.poll_recv(context));
    tokio::select! {
        ended = waiting.map(Ok).forward(write) => ended,
        // What a subscriber sends is ignored; the library answers its pings and its closing frame.
        ended = read.try_for_each(|_message| future::ready(Ok(()))) => ended,
    }
}
