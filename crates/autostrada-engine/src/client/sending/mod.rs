//! From messages to the bytes of a protocol, and what of them is still to be sent.

mod encoding;
mod frames;
mod outbox;
mod socket_io;
mod waiting;

pub use encoding::Encoding;
pub use frames::Frames;
pub use outbox::Outbox;
pub use socket_io::SocketIoEncoding;
