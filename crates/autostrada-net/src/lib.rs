//! Sockets, the poller and the clock. Reports (event, instant), and has no opinion on them.

pub mod clock;
mod random;
mod stream;
mod tcp_info;

pub use mio::{Events, Interest, Poll, Token, Waker, event::Event};
pub use random::random_bytes;
pub use stream::{Listener, Stream, Transfer};
