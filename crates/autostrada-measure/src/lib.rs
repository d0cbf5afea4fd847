//! What was planned and what was measured: instants and counts. No I/O and no clock.
//!
//! Every instant is an argument. A thread has recorders of its own, and they are merged when the
//! threads have met; merging gives exactly what one recorder would have recorded alone.
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
pub use limit::{
    ACHIEVED_SHARE_MIN, BUSY_SHARE_MAX, Generator, GeneratorLimit, OpenLoop, SEND_DELAY_NS_MAX,
    SEND_DELAY_QUANTILE, generator_limited,
};
pub use recorder::{ConnectionTimes, Opening, Recorder};
pub use regularity::{Cadence, CadenceError, Regularity, Ticks};
pub use schedule::{Arrivals, Rate, RateError, Schedule, Share};
pub use sequence::{GAP_MAX, Sequence, SequenceCounts, Verdict, WINDOW};
pub use series::{Second, SecondOf, Series, SeriesOf};
pub use stopwatch::Stopwatch;

/// An instant or a duration in nanoseconds; instants are `CLOCK_MONOTONIC`.
pub type Nanos = u64;
