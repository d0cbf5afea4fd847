//! Sockets, the poller and the clock. Reports events and instants without interpreting them.

mod append;
pub mod clock;
pub mod limits;
mod prefetch;
mod random;
mod tcp;
mod timer;
pub mod tls;
mod transport;

pub use append::append_without_waiting;
pub use mio::{Events, Interest, Poll, Registry, Token, Waker, event::Event};
pub use prefetch::prefetch;
pub use random::random_bytes;
pub use tcp::{
    Batch, Done, Endpoint, Listener, SocketOptions, Stream, Transfer, check_source,
    source_addresses,
};
pub use timer::Timer;
pub use transport::Transport;
