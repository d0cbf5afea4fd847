//! Shared code of the Rust contestants: `docs/contract.md`, sections 3 to 8.
//!
//! A client reads its [`Workload`] and uses a [`Receiver`] or an [`Exchanger`]; with blocking
//! calls, [`run_on_threads`] suffices. A server reads its [`ServerSettings`], calls
//! [`run_workers`], and has [`Subscribers`] or [`ThreadedSubscribers`].

mod clock;
mod connection;
mod exchanger;
mod feed;
mod feeding;
mod group;
mod input;
mod latency;
mod listening;
mod receiver;
mod report;
mod sequence;
mod serving;
mod settings;
mod subscribers;
mod threads;
mod variables;
#[cfg(test)]
mod vectors;
mod version;
mod workers;

use std::fmt::Display;
use std::process;

pub use connection::Connection;
pub use exchanger::{Exchange, Exchanger};
pub use feed::{Payload, Received};
pub use feeding::Feed;
pub use input::wait_for_input;
pub use receiver::Receiver;
pub use serving::{FeedSettings, ServerSettings, TlsFiles};
pub use settings::Workload;
pub use subscribers::{Messages, Subscribers, Subscription, ThreadedSubscribers};
pub use threads::run_on_threads;
pub use version::locked_version;
pub use workers::run_workers;

/// Ends the program with the reason as the last line on stderr.
pub fn fail(status: i32, reason: &dyn Display) -> ! {
    eprintln!("{reason}");
    process::exit(status)
}
