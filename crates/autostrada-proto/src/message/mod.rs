//! Messages, from frames and to frames: RFC 6455, sections 5.4 to 5.6.

use crate::close::Close;

mod decoder;
mod encoder;

pub use decoder::MessageDecoder;
pub use encoder::MessageEncoder;

/// Which side of a connection we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Receives unmasked frames.
    Client,
    /// Receives masked frames.
    Server,
}

/// What stands at the front of the bytes received: part of a frame, or a frame.
pub type Decoded<'a> = crate::decoded::Decoded<Event<'a>>;

/// What a frame means to the application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// A whole text message. It is valid UTF-8.
    Text(&'a [u8]),
    /// A whole binary message.
    Binary(&'a [u8]),
    /// A ping, to be answered by a pong with the same payload.
    Ping(&'a [u8]),
    Pong(&'a [u8]),
    /// A close frame, the last frame of the other endpoint: ignore what follows it.
    Close(Option<Close<'a>>),
    /// A fragment, taken in, and its message is not whole yet.
    Fragment,
}
