//! What was measured: instants and counts. No I/O and no clock; time is an argument.
#![forbid(unsafe_code)]

mod series;
mod stopwatch;

pub use series::{Second, Series};
pub use stopwatch::Stopwatch;

/// An instant or a duration in nanoseconds; instants are `CLOCK_MONOTONIC`.
pub type Nanos = u64;
