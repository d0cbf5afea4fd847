//! Faults of known size that `serve` injects.

use autostrada_measure::Nanos;
use schemars::JsonSchema;
use serde::Deserialize;

use super::protocol::ServeProtocolKind;
use crate::plan::{PlanError, nanos};

/// Maximum delay and interval, in milliseconds: an hour.
const MS_MAX: f64 = 3_600_000.0;

/// Maximum rate: instants have a resolution of a nanosecond.
const RATE_PER_S_MAX: f64 = 1e9;

/// Maximum length of a burst, in messages.
const BURST_MAX: u64 = 1_000_000;

/// Maximum number of bytes by which one message grows the server's memory.
const GROW_BYTES_MAX: u64 = 1024 * 1024;

/// Maximum CPU time of one message, in microseconds: a second.
const WORK_US_MAX: u64 = 1_000_000;

/// Faults of known size in the answers of `/echo` and the messages of `/feed`. They require
/// protocol `websocket` and one thread. Default of each key: no such fault.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FaultPlan {
    /// Delay of each message, in milliseconds. Messages do not wait for each other.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = MS_MAX))]
    delay_ms: Option<f64>,
    /// Periodic stalls of the whole server.
    stall: Option<StallPlan>,
    /// Loss: one message in this many is not sent.
    #[schemars(range(min = 2))]
    pub lose_every: Option<u64>,
    /// Duplication: one message in this many is sent twice.
    #[schemars(range(min = 2))]
    pub repeat_every: Option<u64>,
    /// Reordering: one message in this many is sent after the message that follows it, which is
    /// not swapped itself.
    #[schemars(range(min = 2))]
    pub swap_every: Option<u64>,
    /// Corruption: in one message in this many, the lowest bit of the last byte is inverted. A text
    /// remains valid UTF-8; an empty message is not changed.
    #[schemars(range(min = 2))]
    pub corrupt_every: Option<u64>,
    /// Bursts: messages wait until this many, or 16 MiB, have accumulated for their connection, and
    /// are then sent together.
    #[schemars(range(min = 2, max = BURST_MAX))]
    pub burst: Option<usize>,
    /// Rate limit in messages per second, of all connections together, evenly spaced. Further
    /// messages wait in order. The minimum is one message per hour.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = RATE_PER_S_MAX))]
    rate_per_s: Option<f64>,
    /// Memory leak: number of bytes by which each message grows the server's memory permanently.
    #[schemars(range(min = 1, max = GROW_BYTES_MAX))]
    pub grow_bytes: Option<usize>,
    /// Work: CPU time, in microseconds, for which the server computes at each message before it
    /// sends it, measured by the CPU clock of its thread.
    #[schemars(range(min = 1, max = WORK_US_MAX))]
    pub work_us: Option<u64>,
    /// Number of sent messages after which the server closes a connection with code 1000. Cannot be
    /// combined with `abort_after`.
    #[schemars(range(min = 1))]
    pub close_after: Option<u64>,
    /// Number of sent messages after which the server resets a connection. Cannot be combined with
    /// `close_after`.
    #[schemars(range(min = 1))]
    pub abort_after: Option<u64>,
}

/// Periodic stalls of the whole server, in which it does not accept, read or write. Messages that
/// are due during a stall are sent after it, at the rate limit if there is one.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StallPlan {
    /// Time from the start of one stall to the start of the next, in milliseconds. The first stall
    /// starts one interval after the first connection has opened.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = MS_MAX))]
    every_ms: f64,
    /// Length of each stall, in milliseconds; less than `every_ms`.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = MS_MAX))]
    for_ms: f64,
}

/// Stalls of the whole server at each multiple of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stall {
    /// Time from the start of one stall to the start of the next.
    pub every_ns: Nanos,
    /// Length of each stall; less than `every_ns`.
    pub for_ns: Nanos,
}

impl FaultPlan {
    /// Returns the delay of each message, 0 if there is none.
    pub fn delay_ns(&self) -> Nanos {
        self.delay_ms.map_or(0, nanos_of_ms)
    }

    /// Returns the minimum time between two messages, or `None` without a rate limit.
    pub fn distance_ns(&self) -> Option<Nanos> {
        let rate_per_s = self.rate_per_s?;
        Some(nanos_of_ms(1e3 / rate_per_s))
    }

    /// Returns the stalls of the server, or `None` if there are none.
    pub fn stall(&self) -> Option<Stall> {
        self.stall.map(|stall| Stall {
            every_ns: nanos_of_ms(stall.every_ms),
            for_ns: nanos_of_ms(stall.for_ms),
        })
    }

    /// Checks the constraints that the types do not express.
    pub(super) fn check(
        &self,
        protocol: ServeProtocolKind,
        threads: usize,
    ) -> Result<(), PlanError> {
        if protocol != ServeProtocolKind::Websocket {
            return refuse(
                " need protocol.kind \"websocket\": remove them, or change the protocol",
            );
        }
        if threads > 1 {
            return refuse(" need a server with one thread: remove threads, or set it to 1");
        }
        if self.delay_ms.is_some_and(|ms| !is_time(ms)) {
            return refuse(".delay_ms must be above 0, and at most 3600000");
        }
        if let Some(stall) = self.stall {
            stall.check()?;
        }
        self.check_counts()?;
        let is_rate = |rate_per_s: f64| rate_per_s > 0.0 && rate_per_s <= RATE_PER_S_MAX;
        let is_slow_enough = |rate_per_s: f64| is_rate(rate_per_s) && is_time(1e3 / rate_per_s);
        if self.rate_per_s.is_some_and(|rate| !is_slow_enough(rate)) {
            return refuse(".rate_per_s must be from one per hour (1/3600) to 1000000000");
        }
        if self.close_after.is_some() && self.abort_after.is_some() {
            return refuse(
                ".close_after and faults.abort_after cannot be combined: remove one of them",
            );
        }
        Ok(())
    }

    fn check_counts(&self) -> Result<(), PlanError> {
        for (key, every) in [
            ("lose_every", self.lose_every),
            ("repeat_every", self.repeat_every),
            ("swap_every", self.swap_every),
            ("corrupt_every", self.corrupt_every),
        ] {
            if every.is_some_and(|every| every < 2) {
                return refuse(&format!(".{key} must be at least 2"));
            }
        }
        for (key, value, range) in [
            ("burst", self.burst.map(|burst| burst as u64), 2..=BURST_MAX),
            (
                "grow_bytes",
                self.grow_bytes.map(|bytes| bytes as u64),
                1..=GROW_BYTES_MAX,
            ),
            ("work_us", self.work_us, 1..=WORK_US_MAX),
        ] {
            if value.is_some_and(|value| !range.contains(&value)) {
                let (from, to) = range.into_inner();
                return refuse(&format!(".{key} must be from {from} to {to}"));
            }
        }
        for (key, after) in [
            ("close_after", self.close_after),
            ("abort_after", self.abort_after),
        ] {
            if after == Some(0) {
                return refuse(&format!(".{key} must be at least 1"));
            }
        }
        Ok(())
    }
}

impl StallPlan {
    fn check(self) -> Result<(), PlanError> {
        for (key, ms) in [("every_ms", self.every_ms), ("for_ms", self.for_ms)] {
            if !is_time(ms) {
                let text = format!(".stall.{key} must be above 0, and at most 3600000");
                return refuse(&text);
            }
        }
        if self.for_ms >= self.every_ms {
            return refuse(".stall.for_ms must be shorter than faults.stall.every_ms");
        }
        Ok(())
    }
}

/// Whether a time is above 0 and at most an hour.
fn is_time(ms: f64) -> bool {
    ms > 0.0 && ms <= MS_MAX
}

/// Converts milliseconds to the nearest nanosecond, at least 1.
fn nanos_of_ms(ms: f64) -> Nanos {
    nanos((ms * 1e6).round() / 1e9).max(1)
}

fn refuse(text: &str) -> Result<(), PlanError> {
    Err(PlanError::new(format!("faults{text}")))
}

#[cfg(test)]
#[path = "tests/fault.rs"]
mod tests;
