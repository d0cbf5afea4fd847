//! The workloads of a client, with one file for each kind.
//!
//! A file contains all parts of its kind: the plan and its check, the workload of a thread, and the
//! section of the result. `kinds` lists all kinds.

mod answer;
mod connect;
mod echo;
mod feed;
mod kind;
mod kinds;
mod message;
mod publish;
mod receive;
mod reconnect;
mod records;
mod recovery;
mod slow_consumer;
mod slow_readers;

pub use echo::{Answers, DeliveriesRow, ExchangeRow};
pub use kind::{Kind, Outcome, Thread, Workload, share};
pub use kinds::{LoadWorkload, Sections, Visitor};
pub use message::Message;
pub use reconnect::RecoveryRow;
pub use records::{Latencies, Records, RoundTrips};
pub use recovery::DropKind;
