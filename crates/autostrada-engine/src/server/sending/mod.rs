//! What a connection sends: messages, and what goes between two of them.

mod deliveries;
mod ledger;
mod outbox;
mod push;

pub use deliveries::Deliveries;
pub use ledger::Count;
pub use outbox::{Outbox, return_buffer};
pub use push::{Prepared, Push, Sent};
