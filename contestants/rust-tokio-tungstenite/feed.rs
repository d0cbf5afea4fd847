//! Sends a feed with tokio-tungstenite: each subscriber has a queue, and the task of its connection
//! sends the queued messages.

use autostrada_kit::{Feed, Payload};
use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::select;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::sleep;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::closing::close;

pub type Subscribers = autostrada_kit::Subscribers<mpsc::Sender<Message>>;

pub async fn send<S>(mut socket: WebSocketStream<S>, subscribers: &Subscribers) -> Result<(), Error>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    // For an unlimited queue, the largest length that tokio supports.
    let length = subscribers.queue_length().unwrap_or(Semaphore::MAX_PERMITS);
    let (queue, mut messages) = mpsc::channel(length);
    let (_subscription, feed) = subscribers.join(queue);
    let _publishing = feed.map(|feed| tokio::spawn(publish(feed)));
    loop {
        select! {
            message = messages.recv() => match message {
                Some(message) => socket.send(message).await?,
                None => break,
            },
            // Messages from subscribers are ignored; the library answers pings and close frames.
            received = socket.next() => match received {
                Some(received) => drop(received?),
                None => return Ok(()),
            },
        }
    }
    close(&mut socket).await;
    Ok(())
}

async fn publish(mut feed: Feed<mpsc::Sender<Message>>) {
    while let Some(wait) = feed.wait() {
        if !wait.is_zero() {
            sleep(wait).await;
            continue;
        }
        let message = match feed.next_message() {
            Payload::Text(text) => Message::text(text),
            Payload::Binary(bytes) => Message::binary(bytes),
        };
        for subscriber in feed.subscribed() {
            let _has_left = subscriber.send(message.clone()).await.is_err();
        }
    }
}
