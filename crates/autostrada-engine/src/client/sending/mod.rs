//! Encoding of messages, and the queue of bytes to send.

mod encoding;
mod frames;
mod outbox;
mod socket_io;

pub use encoding::Encoding;
pub use frames::Frames;
pub use outbox::Outbox;
pub use socket_io::SocketIoEncoding;
