//! Decoder and encoder of messages: RFC 6455, sections 5.4 to 5.6.

use crate::close::Close;

mod decoder;
mod encoder;

pub use decoder::MessageDecoder;
pub use encoder::MessageEncoder;

pub use crate::role::Role;

/// The result of decoding the front of the received bytes: part of a frame, or a frame.
pub type Decoded<'a> = crate::decoded::Decoded<Event<'a>>;

/// What the application receives for a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// A complete text message, which is valid UTF-8.
    Text(&'a [u8]),
    /// A complete binary message.
    Binary(&'a [u8]),
    /// A ping, which must be answered with a pong with the same payload.
    Ping(&'a [u8]),
    Pong(&'a [u8]),
    /// A close frame, the last frame of the other endpoint. Ignore the bytes after it.
    Close(Option<Close<'a>>),
    /// A fragment of a message that is not complete.
    Fragment,
}
