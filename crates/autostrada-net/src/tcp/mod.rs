//! Non-blocking TCP sockets, and Unix sockets of clients.

mod batch;
mod endpoint;
mod listener;
#[cfg(test)]
#[path = "tests/loopback.rs"]
pub(crate) mod loopback;
mod options;
mod source;
mod stream;

pub use batch::{Batch, Done};
pub use endpoint::Endpoint;
pub use listener::Listener;
pub use options::SocketOptions;
pub use source::{check_source, source_addresses};
pub use stream::{Stream, Transfer};
