//! Sends a feed with tungstenite: each subscriber has a thread that sends to it.

use std::io::{Read, Write};
use std::os::fd::RawFd;
use std::time::Duration;

use autostrada_kit::{Payload, ThreadedSubscribers, wait_for_input};
use tungstenite::protocol::{CloseFrame, frame::coding::CloseCode};
use tungstenite::{Error, Message, WebSocket};

pub fn to_message(payload: Payload) -> Message {
    match payload {
        Payload::Text(text) => Message::text(text),
        Payload::Binary(bytes) => Message::binary(bytes),
    }
}

pub fn send<S: Read + Write>(
    websocket: &mut WebSocket<S>,
    socket: RawFd,
    subscribers: &ThreadedSubscribers<Message>,
) -> Result<(), Error> {
    'feed: for message in subscribers.messages() {
        // Messages from subscribers are ignored; the library answers pings and close frames.
        while wait_for_input(socket, Duration::ZERO)? {
            websocket.read()?;
            if !websocket.can_write() {
                break 'feed;
            }
        }
        websocket.send(message)?;
    }
    // With the default, `None`, the close frame would have no code.
    let frame = CloseFrame {
        code: CloseCode::Normal,
        reason: "".into(),
    };
    websocket.close(Some(frame))?;
    // Reading drives the closing handshake to its end, as documented at `close`.
    loop {
        websocket.read()?;
    }
}
