//! Messages as they are written in JSON.

use base64::engine::{Engine, general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use tungstenite::protocol::frame::Frame;
use tungstenite::protocol::frame::coding::{Data, OpCode};
use tungstenite::{Error, Message, WebSocket};

/// A message, or a ping.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Described {
    /// A text.
    Text(String),
    /// Bytes.
    Base64(String),
    /// A text, each part of which is a frame.
    Fragments(Vec<String>),
    /// A binary message of so many zeros.
    Zeros(usize),
    /// A ping with this payload.
    Ping(String),
}

impl Described {
    /// Describes a text or binary message; one that is long is told by its length.
    pub fn of(message: &Message) -> Self {
        match message {
            Message::Text(text) => Self::Text(text.to_string()),
            Message::Binary(bytes) if is_long_zeros(bytes) => Self::Zeros(bytes.len()),
            Message::Binary(bytes) => Self::Base64(STANDARD.encode(bytes)),
            other => panic!("{other:?} is no message"),
        }
    }

    /// Sends it.
    pub fn send<S: std::io::Read + std::io::Write>(
        &self,
        socket: &mut WebSocket<S>,
    ) -> Result<(), Error> {
        match self {
            Self::Text(text) => socket.send(Message::text(text.as_str())),
            Self::Base64(base64) => {
                let bytes = STANDARD.decode(base64).expect("base64");
                socket.send(Message::binary(bytes))
            }
            Self::Zeros(length) => socket.send(Message::binary(vec![0; *length])),
            Self::Ping(payload) => socket.send(Message::Ping(payload.clone().into())),
            Self::Fragments(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    let kind = if index == 0 {
                        Data::Text
                    } else {
                        Data::Continue
                    };
                    let is_last = index + 1 == parts.len();
                    let frame =
                        Frame::message(part.clone().into_bytes(), OpCode::Data(kind), is_last);
                    socket.send(Message::Frame(frame))?;
                }
                Ok(())
            }
        }
    }
}

/// From so many bytes on.
const LONG_BYTES: usize = 10_000;

fn is_long_zeros(bytes: &[u8]) -> bool {
    bytes.len() >= LONG_BYTES && bytes.iter().all(|&byte| byte == 0)
}
