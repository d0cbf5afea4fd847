//! Non-blocking TCP sockets.

mod info;
mod listener;
mod options;
mod stream;

pub use listener::Listener;
pub use options::SocketOptions;
pub use stream::{Stream, Transfer};
