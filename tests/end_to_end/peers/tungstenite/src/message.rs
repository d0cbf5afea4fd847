//! Messages in a form that JSON can represent.

use base64::engine::{Engine, general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use tungstenite::protocol::frame::Frame;
use tungstenite::protocol::frame::coding::{Data, OpCode};
use tungstenite::{Error, Message, WebSocket};

/// A message, or a ping.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Described {
    /// A text message.
    Text(String),
    /// A binary message.
    Base64(String),
    /// A text message, with one frame for each part.
    Fragments(Vec<String>),
    /// A binary message of this number of zeros.
    Zeros(usize),
    /// A ping with this payload.
    Ping(String),
}

impl Described {
    /// Describes a text or binary message; long zeros are described by their number.
    pub fn of(message: &Message) -> Self {
        match message {
            Message::Text(text) => Self::Text(text.to_string()),
            Message::Binary(bytes) if is_long_zeros(bytes) => Self::Zeros(bytes.len()),
            Message::Binary(bytes) => Self::Base64(STANDARD.encode(bytes)),
            other => panic!("{other:?} is no message"),
        }
    }

    /// Sends the described message.
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

/// Zeros of at least this length, in bytes, are described by their number.
const LONG_BYTES: usize = 10_000;

fn is_long_zeros(bytes: &[u8]) -> bool {
    bytes.len() >= LONG_BYTES && bytes.iter().all(|&byte| byte == 0)
}
