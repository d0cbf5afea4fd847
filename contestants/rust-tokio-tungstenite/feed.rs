//! Sends a feed to subscribers with tokio-tungstenite: each subscriber has a queue, and the task of its connection
//! sends what is in it.

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
    // Without a length, it has room for as many as tokio allows.
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
            // What a subscriber sends is ignored, but the library answers pings and closing frames.
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
