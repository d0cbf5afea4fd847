//! Sending on a connection: messages, and control frames between them.

mod deliveries;
mod measurement;
mod pings;
mod push;
mod send_accounting;

pub use deliveries::Deliveries;
pub use measurement::Measurement;
pub use pings::Pings;
pub use push::{Prepared, Push, Sent};
pub use send_accounting::Count;
