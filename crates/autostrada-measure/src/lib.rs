//! Schedules, and recorders of instants and counts. Contains no I/O and reads no clock.
//!
//! Every instant is an argument. Each thread has its own recorders, which are merged after the
//! trial; merging gives exactly the result of a single recorder.
#![forbid(unsafe_code)]

mod failure;
mod fan_out_skew;
mod histogram;
mod limit;
mod recorder;
mod regularity;
mod schedule;
mod sequence;
mod series;
mod stopwatch;

pub use failure::{EXAMPLE_BYTES_MAX, Failure, FailureKind, Failures};
pub use fan_out_skew::{Broadcast, Broadcasts, FanOutSkew};
pub use histogram::{DURATION_NS_MAX, Histogram, RecordError, bucket_width_ns};
pub use limit::{Generator, OpenLoop, generator_limited};
pub use recorder::{ConnectionTimes, Opening, Recorder};
pub use regularity::{Cadence, CadenceError, Regularity, Ticks};
pub use schedule::{Arrivals, Rate, RateError, Schedule, Share};
pub use sequence::{NumberClass, Sequence, SequenceCounts, WINDOW};
pub use series::Series;
pub use stopwatch::Stopwatch;

/// An instant or a duration in nanoseconds; instants are `CLOCK_MONOTONIC`.
pub type Nanos = u64;

/// Returns the integer part of a number: 0 below 0, and at most `u64::MAX`.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it saturates"
)]
pub fn integer(value: f64) -> u64 {
    value as u64
}
