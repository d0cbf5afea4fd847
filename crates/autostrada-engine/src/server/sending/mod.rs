//! Sending on a connection: messages, and control frames between them.

mod deliveries;
mod outbox;
mod pings;
mod push;
mod send_accounting;

pub use deliveries::Deliveries;
pub use outbox::Outbox;
pub use pings::Pings;
pub use push::{Prepared, Push, Sent};
pub use send_accounting::Count;
