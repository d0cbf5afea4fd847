//! What a client does with its connections: one file for each kind of workload.
//!
//! A file has everything of its kind: the plan, its check, what a thread does, and the section of the
//! result. `kinds` lists them.

mod answer;
mod connect;
mod echo;
mod feed;
mod kind;
mod kinds;
mod message;
mod receive;
mod reconnect;
mod recorded;
mod recovery;
mod slow_consumer;
mod slow_readers;

pub use kind::{Kind, Merge, Outcome, Thread, Workload, share};
pub use kinds::{LoadWorkload, Sections, Visitor};
pub use message::Message;
pub use recorded::{Buckets, Latencies, Recorded, buckets};
pub use recovery::DropKind;
