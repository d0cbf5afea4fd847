//! Sockets, the poller and the clock. Reports (event, instant), and has no opinion on them.

pub mod clock;
pub mod limits;
mod listener;
mod random;
mod stream;
mod tcp_info;
mod timer;
pub mod tls;
mod transport;

pub use listener::{Listener, Listening};
pub use mio::{Events, Interest, Poll, Token, Waker, event::Event};
pub use random::random_bytes;
pub use stream::{Stream, Transfer};
pub use timer::Timer;
pub use transport::Transport;
