//! Serves with axum, as its documentation shows: a route for each path, whose handler upgrades the
//! request; subscribers have a channel, as in its example of a chat.

use std::io;

use autostrada_kit::Server;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::routing::any;
use axum::{Router, serve};
use tokio::net::TcpListener;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{Sender, channel};

/// How many messages a subscriber may be behind; the 100 of the example are less than a burst.
const BEHIND_MAX: usize = 1024;

#[tokio::main]
async fn main() -> io::Result<()> {
    let listener = TcpListener::bind(Server::from_environment().address()).await?;
    let echo = |upgrade: WebSocketUpgrade| async { upgrade.on_upgrade(echo) };
    let publish = |State(messages), upgrade: WebSocketUpgrade| async {
        upgrade.on_upgrade(|socket| publish(socket, messages))
    };
    let subscribe = |State(messages), upgrade: WebSocketUpgrade| async {
        upgrade.on_upgrade(|socket| subscribe(socket, messages))
    };
    let routes = Router::new()
        .route("/echo", any(echo))
        .route("/publish", any(publish))
        .route("/subscribe", any(subscribe))
        .with_state(channel(BEHIND_MAX).0);
    serve(listener, routes).await
}

async fn echo(mut socket: WebSocket) {
    while let Some(Ok(message)) = socket.recv().await {
        if is_data(&message) && socket.send(message).await.is_err() {
            return;
        }
    }
}

async fn publish(mut socket: WebSocket, messages: Sender<Message>) {
    while let Some(Ok(message)) = socket.recv().await {
        if is_data(&message) {
            let _ = messages.send(message); // Fails without subscribers.
        }
    }
}

async fn subscribe(mut socket: WebSocket, messages: Sender<Message>) {
    let mut messages = messages.subscribe();
    loop {
        tokio::select! {
            message = messages.recv() => {
                let is_open = match message {
                    Ok(message) => socket.send(message).await.is_ok(),
                    Err(error) => matches!(error, RecvError::Lagged(_)),
                };
                if !is_open {
                    return;
                }
            }
            // What a subscriber sends is ignored; the library answers its pings and its closing frame.
            received = socket.recv() => if !matches!(received, Some(Ok(_))) {
                return;
            },
        }
    }
}

fn is_data(message: &Message) -> bool {
    matches!(message, Message::Text(_) | Message::Binary(_))
}
