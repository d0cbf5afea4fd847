//! Sends a feed with fastwebsockets: each subscriber has a queue, and the task of its connection
//! sends the queued messages.

use std::sync::Arc;

use autostrada_kit::{Feed, Payload};
use fastwebsockets::upgrade::UpgradeFut;
use fastwebsockets::{Frame, OpCode, WebSocketError};
use tokio::select;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::sleep;

use crate::splitting::{receive, send, split};

pub type Subscribers = autostrada_kit::Subscribers<mpsc::Sender<Arc<Payload>>>;

pub async fn subscribe(
    upgrading: UpgradeFut,
    subscribers: &'static Subscribers,
) -> Result<(), WebSocketError> {
    let (mut reader, writer) = split(upgrading.await?);
    // For an unlimited queue, the largest length that tokio supports.
    let length = subscribers.queue_length().unwrap_or(Semaphore::MAX_PERMITS);
    let (queue, mut messages) = mpsc::channel::<Arc<Payload>>(length);
    let (_subscription, feed) = subscribers.join(queue);
    let _publishing = feed.map(|feed| tokio::spawn(publish(feed)));
    let sending = async {
        while let Some(message) = messages.recv().await {
            let frame = match &*message {
                Payload::Text(text) => Frame::text(text.as_bytes().into()),
                Payload::Binary(bytes) => Frame::binary(bytes.as_slice().into()),
            };
            send(&writer, frame).await?;
        }
        send(&writer, Frame::close(1000, b"")).await
    };
    // Messages from subscribers are ignored; the library answers pings and close frames.
    let receiving = async {
        while receive(&mut reader, &writer).await?.opcode != OpCode::Close {}
        Ok(())
    };
    select! {
        ended = receiving => ended,
        Err(error) = sending => Err(error),
    }
}

async fn publish(mut feed: Feed<mpsc::Sender<Arc<Payload>>>) {
    while let Some(wait) = feed.wait() {
        if !wait.is_zero() {
            sleep(wait).await;
            continue;
        }
        let message = Arc::new(feed.next_message());
        for subscriber in feed.subscribed() {
            let _has_left = subscriber.send(Arc::clone(&message)).await.is_err();
        }
    }
}
