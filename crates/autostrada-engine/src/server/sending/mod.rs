//! What a connection sends: messages, and what goes between two of them.

mod deliveries;
mod outbox;
mod push;
mod send_accounting;

pub use deliveries::Deliveries;
pub use outbox::Outbox;
pub use push::{Prepared, Push, Sent};
pub use send_accounting::Count;
