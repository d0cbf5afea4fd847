//! Socket.IO by HTTP long-polling: a session is spread over many requests, and these over
//! several connections.

mod carrier;
mod pending;
mod polled;
mod sessions;

pub use carrier::{Carrier, session_of};
pub use polled::{Finished, Polled};
pub use sessions::{Key, Pollings};
