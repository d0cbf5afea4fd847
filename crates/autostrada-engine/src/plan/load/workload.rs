//! The workloads of `load`.

use autostrada_measure::{Cadence, Nanos};
use autostrada_proto::feed::{FeedEncoder, FeedKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::payload::PayloadPlan;
use super::schedule::{Phases, SchedulePlan, nanos};
use crate::plan::{FeedEncodingName, FeedKindName, PlanError};

/// A tick within this share of its interval is on time, and one that follows another within it
/// is in one burst with it.
const TOLERANCE_SHARE: f64 = 0.1;

/// The bounds of the interval of a feed.
const EVERY_MS_MIN: f64 = 0.001;
const EVERY_MS_MAX: f64 = 3_600_000.0;

/// The longest wait before an attempt to reconnect: an hour.
const BACK_OFF_MS_MAX: f64 = 3_600_000.0;

/// What the connections do; `kind` says which.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LoadWorkload {
    /// Receive and count messages: either so many on each connection, or for a time.
    Receive {
        /// How many messages to receive on each connection before it is closed. Either this or
        /// `phases`.
        #[schemars(range(min = 1))]
        messages: Option<u64>,
        /// How long to receive. Either this or `messages`.
        phases: Option<Phases>,
        /// What each message must be: one text, or one in base64. At most one of this and `feed`;
        /// without both, any message counts.
        payload: Option<PayloadPlan>,
        /// The feed that the messages must belong to.
        feed: Option<ExpectedFeed>,
    },
    /// Send every message back as it came, in order: the server sends first, and may end it. While
    /// more than 64 KiB wait to be read by the server, no more is read from it. Over `socket-io` by
    /// WebSocket only, and without `acknowledge`.
    Answer {
        /// How long the phases of the trial take.
        phases: Phases,
    },
    /// Send, and be answered. With `window` a closed loop: an answer is followed by the next message.
    /// With `schedule` an open loop: each message is sent when it is due, whether or not earlier
    /// ones are answered.
    Echo {
        /// A closed loop: how many messages are in flight on each connection. At most one of this
        /// and `schedule`; without both, 1.
        #[schemars(range(min = 1))]
        window: Option<usize>,
        /// An open loop: when messages are due.
        schedule: Option<SchedulePlan>,
        /// What each message is. Without it, the text `hello world`.
        #[serde(default = "PayloadPlan::hello")]
        payload: PayloadPlan,
        /// How long the phases of the trial take.
        phases: Phases,
    },
    /// Open all connections and leave them idle.
    Connect {
        /// How long the phases of the trial take.
        phases: Phases,
    },
    /// Receive as `receive` does, while some of the connections stop reading.
    SlowConsumer {
        /// Which connections are slow, and how slow.
        slow: SlowPlan,
        /// How long the phases of the trial take.
        phases: Phases,
        /// What each message must be, as of `receive`.
        payload: Option<PayloadPlan>,
        /// The feed that the messages must belong to, as of `receive`.
        feed: Option<ExpectedFeed>,
    },
    /// Drop all connections when the window begins, and reconnect.
    Reconnect {
        /// How the connections are dropped.
        #[serde(default)]
        drop: DropKind,
        /// How long they wait before they reconnect. Without it, the defaults of its keys.
        #[serde(default)]
        back_off: BackOffPlan,
        /// How long the phases of the trial take.
        phases: Phases,
    },
}

/// The feed that a server sends, as the client checks it.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedFeed {
    /// What the messages hold.
    kind: FeedKindName,
    /// How the messages are encoded.
    #[serde(default)]
    encoding: FeedEncodingName,
    /// The interval at which messages are due, in milliseconds. Without it, the feed is
    /// continuous.
    #[schemars(range(min = EVERY_MS_MIN, max = EVERY_MS_MAX))]
    every_ms: Option<f64>,
    /// Each message goes to all connections: report the fan-out skew. Only of `sequence` and `stocks`,
    /// whose messages have numbers.
    #[serde(default)]
    pub broadcast: bool,
}

impl ExpectedFeed {
    /// How its messages are made.
    #[must_use]
    pub fn encoder(&self) -> FeedEncoder {
        FeedEncoder {
            kind: self.kind.into(),
            encoding: self.encoding.into(),
        }
    }

    /// The interval, and what is on time.
    ///
    /// # Errors
    ///
    /// When it is no interval.
    pub fn cadence(&self) -> Result<Option<Cadence>, PlanError> {
        let Some(every_ms) = self.every_ms else {
            return Ok(None);
        };
        if !(EVERY_MS_MIN..=EVERY_MS_MAX).contains(&every_ms) {
            return Err(PlanError::new("feed.every_ms is 0.001 to 3600000"));
        }
        let part_ns = nanos(every_ms / 1e3 * TOLERANCE_SHARE);
        Cadence::new(nanos(every_ms / 1e3), part_ns, part_ns)
            .map(Some)
            .map_err(|error| PlanError::new(format!("feed.every_ms: {error}")))
    }

    fn check(&self) -> Result<(), PlanError> {
        self.cadence()?;
        let is_numbered = matches!(self.encoder().kind, FeedKind::Sequence | FeedKind::Stocks);
        if self.broadcast && !is_numbered {
            return Err(PlanError::new(
                "feed.broadcast needs a feed with numbers: sequence or stocks",
            ));
        }
        Ok(())
    }
}

/// Which connections are slow, and how slow.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlowPlan {
    /// The share of all connections that is slow, evenly spread.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = 1))]
    share: f64,
    /// What each of them reads from the beginning of the window on, in bytes per second.
    #[serde(default)]
    pub read_bytes_per_s: u64,
    /// The receive buffers of their sockets. Without it, `tcp.receive_buffer_bytes`.
    pub receive_buffer_bytes: Option<usize>,
}

impl SlowPlan {
    /// Whether a connection, by its number of all, is one of the slow ones: evenly spread.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "a number of connections needs no more than 53 bits"
    )]
    pub fn is_slow(&self, connection: u64) -> bool {
        let until = |count: u64| (count as f64 * self.share).round();
        until(connection + 1) > until(connection)
    }

    fn check(&self) -> Result<(), PlanError> {
        if self.share > 0.0 && self.share <= 1.0 {
            return Ok(());
        }
        Err(PlanError::new("slow.share is above 0 and at most 1"))
    }
}

/// How connections are dropped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DropKind {
    /// By a TCP reset, as when a process or its machine has failed.
    #[default]
    Abort,
    /// By a closing handshake, which the peer must answer within a second.
    Close,
}

/// How long to wait before each attempt to reconnect.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BackOffPlan {
    /// The wait before the first attempt, in milliseconds.
    #[schemars(range(min = 0, max = BACK_OFF_MS_MAX))]
    initial_ms: f64,
    /// Each wait is this many times as long as the one before, which counts as 1 ms at least.
    #[schemars(range(min = 1, max = 100))]
    factor: f64,
    /// The longest wait, in milliseconds.
    #[schemars(range(min = 0, max = BACK_OFF_MS_MAX))]
    maximum_ms: f64,
    /// Up to this share of each wait, drawn at random, is left out.
    #[schemars(range(min = 0, max = 1))]
    pub jitter: f64,
}

impl Default for BackOffPlan {
    fn default() -> Self {
        Self {
            initial_ms: 0.0,
            factor: 2.0,
            maximum_ms: 30_000.0,
            jitter: 0.5,
        }
    }
}

/// A wait is at least this long from the second attempt on: nobody is to hammer a dead server.
const SECOND_WAIT_MS_MIN: f64 = 1.0;

impl BackOffPlan {
    /// How long to wait before an attempt, counted from 0; `random` is below 1.
    #[must_use]
    pub fn wait_ns(&self, attempt: u32, random: f64) -> Nanos {
        let first_ms = if attempt == 0 {
            self.initial_ms
        } else {
            self.initial_ms.max(SECOND_WAIT_MS_MIN)
        };
        let exponent = i32::try_from(attempt).unwrap_or(i32::MAX);
        let wait_ms = (first_ms * self.factor.powi(exponent)).min(self.maximum_ms);
        nanos(wait_ms * (1.0 - self.jitter * random) / 1e3)
    }

    fn check(&self) -> Result<(), PlanError> {
        let is_time = |ms: f64| (0.0..=BACK_OFF_MS_MAX).contains(&ms);
        let is_right = is_time(self.initial_ms)
            && is_time(self.maximum_ms)
            && (1.0..=100.0).contains(&self.factor)
            && (0.0..=1.0).contains(&self.jitter);
        if is_right {
            return Ok(());
        }
        Err(PlanError::new(
            "back_off: initial_ms and maximum_ms are 0 to 3600000, factor 1 to 100, jitter 0 to 1",
        ))
    }
}

impl LoadWorkload {
    /// Checks what the types cannot.
    ///
    /// # Errors
    ///
    /// When the workload asks for what cannot be done.
    pub fn check(&self, connections: usize) -> Result<(), PlanError> {
        if let Some(phases) = self.phases() {
            phases.check()?;
        }
        match self {
            Self::Receive {
                messages,
                phases,
                payload,
                feed,
            } => {
                if *messages == Some(0) {
                    return Err(PlanError::new("messages must be at least 1"));
                }
                if messages.is_some() == phases.is_some() {
                    return Err(PlanError::new("receive: give either messages or phases"));
                }
                check_expected(payload.as_ref(), feed.as_ref())
            }
            Self::Echo {
                window,
                schedule,
                payload,
                ..
            } => {
                if window.is_some() && schedule.is_some() {
                    return Err(PlanError::new(
                        "echo: give either window, a closed loop, or schedule, an open loop",
                    ));
                }
                if *window == Some(0) {
                    return Err(PlanError::new("window must be at least 1"));
                }
                if let Some(schedule) = schedule {
                    schedule.schedule(connections)?;
                }
                payload.source().map(drop)
            }
            Self::Answer { .. } | Self::Connect { .. } => Ok(()),
            Self::SlowConsumer {
                slow,
                payload,
                feed,
                ..
            } => {
                slow.check()?;
                check_expected(payload.as_ref(), feed.as_ref())
            }
            Self::Reconnect { back_off, .. } => back_off.check(),
        }
    }

    /// How long the parts of the trial take, where time ends it.
    #[must_use]
    pub fn phases(&self) -> Option<&Phases> {
        match self {
            Self::Receive { phases, .. } => phases.as_ref(),
            Self::Answer { phases }
            | Self::Echo { phases, .. }
            | Self::Connect { phases }
            | Self::SlowConsumer { phases, .. }
            | Self::Reconnect { phases, .. } => Some(phases),
        }
    }

    /// The feed that is received.
    #[must_use]
    pub fn feed(&self) -> Option<&ExpectedFeed> {
        match self {
            Self::Receive { feed, .. } | Self::SlowConsumer { feed, .. } => feed.as_ref(),
            _ => None,
        }
    }

    /// Whether it sends messages.
    #[must_use]
    pub fn sends(&self) -> bool {
        matches!(self, Self::Answer { .. } | Self::Echo { .. })
    }

    /// The longest payload of a frame that is sent, where messages are fragmented.
    #[must_use]
    pub fn fragment_bytes(&self) -> Option<usize> {
        match self {
            Self::Echo { payload, .. } => payload.fragment_bytes,
            _ => None,
        }
    }
}

fn check_expected(
    payload: Option<&PayloadPlan>,
    feed: Option<&ExpectedFeed>,
) -> Result<(), PlanError> {
    match (payload, feed) {
        (Some(_), Some(_)) => Err(PlanError::new("give either payload or feed, not both")),
        (Some(payload), None) => payload.expected().map(drop),
        (None, Some(feed)) => feed.check(),
        (None, None) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_connections_are_as_many_as_planned_and_evenly_spread() {
        for (share, slow) in [(0.25, 25), (1.0, 100), (0.001, 0), (0.5, 50)] {
            let plan = SlowPlan {
                share,
                read_bytes_per_s: 0,
                receive_buffer_bytes: None,
            };
            let count = (0..100).filter(|&index| plan.is_slow(index)).count();
            assert_eq!(count, slow, "{share}");
        }
    }

    #[test]
    fn waits_grow_up_to_their_maximum_and_jitter_shortens_them() {
        let plan = BackOffPlan {
            initial_ms: 100.0,
            factor: 2.0,
            maximum_ms: 300.0,
            jitter: 0.5,
        };
        let waits: Vec<_> = (0..4).map(|attempt| plan.wait_ns(attempt, 0.0)).collect();
        assert_eq!(waits, [100_000_000, 200_000_000, 300_000_000, 300_000_000]);
        assert_eq!(plan.wait_ns(1, 1.0), 100_000_000);
        assert_eq!(BackOffPlan::default().wait_ns(0, 0.3), 0);
        assert!(BackOffPlan::default().wait_ns(1, 0.0) > 0);
        assert!(BackOffPlan::default().wait_ns(u32::MAX, 0.0) <= 30_000_000_000);
    }
}
