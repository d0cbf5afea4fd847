//! Echo: each connection sends messages and gets them back.

mod counts;
mod exchange;
mod in_flight;
mod messages;

use autostrada_measure::{OpenLoop, Schedule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{Kind, Outcome, Thread, WorkloadPlan, share};
use super::recorded::{Buckets, buckets};
use crate::ended::Ended;
use crate::plan::{PayloadPlan, Phases, PlanError, ProtocolPlan, SchedulePlan};
use counts::ExchangeCounts;
use exchange::{Exchange, LoadModel};
use messages::Messages;

/// Send, and be answered. With `window` a closed loop: an answer is followed by the next message.
/// With `schedule` an open loop: each message is sent when it is due, whether or not earlier
/// ones are answered.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "EchoWorkload")]
#[serde(deny_unknown_fields)]
pub struct EchoPlan {
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
}

impl WorkloadPlan for EchoPlan {
    fn check(&self, connections: usize, _protocol: &ProtocolPlan) -> Result<(), PlanError> {
        if self.window.is_some() && self.schedule.is_some() {
            return Err(PlanError::new(
                "echo: give either window, a closed loop, or schedule, an open loop",
            ));
        }
        if self.window == Some(0) {
            return Err(PlanError::new("window must be at least 1"));
        }
        self.schedule(connections)?;
        self.payload.source().map(drop)
    }

    fn phases(&self) -> Option<&Phases> {
        Some(&self.phases)
    }

    fn schedule(&self, connections: usize) -> Result<Option<Schedule>, PlanError> {
        let schedule = self.schedule.as_ref();
        schedule.map(|plan| plan.schedule(connections)).transpose()
    }

    fn sends(&self) -> bool {
        true
    }

    fn fragment_bytes(&self) -> Option<usize> {
        self.payload.fragment_bytes
    }
}

impl Kind for EchoPlan {
    type Workload = Exchange;
    type Section = EchoSection;

    fn workload(&self, thread: Thread<'_>) -> Result<Exchange, PlanError> {
        let model = match self.schedule(thread.all_connections)? {
            Some(schedule) => LoadModel::Open(schedule.arrivals(thread.share)),
            None => LoadModel::Closed(self.window.unwrap_or(1)),
        };
        let connections = thread.connections();
        let messages = Messages::new(&self.payload, thread.encoding)?;
        Ok(Exchange::new(model, messages, connections))
    }

    fn section(&self, outcome: &Outcome<'_, ExchangeCounts>) -> EchoSection {
        EchoSection {
            exchange: Some(ExchangeRow::new(outcome)),
        }
    }

    fn open_loop<'a>(&self, outcome: &Outcome<'a, ExchangeCounts>) -> Option<OpenLoop<'a>> {
        outcome.schedule?;
        let (recorded, counts) = (outcome.recorded, outcome.counts);
        // What was due on connections that the peer has broken was not the engine's to send.
        Some(OpenLoop {
            send_delay_ns: &recorded.latencies.recorder.send_delay_ns,
            offered_rate_per_s: outcome.rate_per_s(counts.sent + overdue(outcome)),
            sent_rate_per_s: outcome.rate_per_s(counts.sent),
            sustained_rate_per_s: outcome.rate_per_s(counts.sustained),
        })
    }
}

/// How many messages were due within the window, by the plan.
fn scheduled(outcome: &Outcome<'_, ExchangeCounts>, schedule: Schedule) -> u64 {
    let before = outcome.durations.warm_up_ns;
    schedule.offered_until(before + outcome.window_ns) - schedule.offered_until(before)
}

/// How many messages were due within the window and too late to be sent at all: those that were
/// counted, or, where the plan is exact, those that are left.
fn overdue(outcome: &Outcome<'_, ExchangeCounts>) -> u64 {
    let counts = outcome.counts;
    match outcome.schedule {
        Some(schedule @ (Schedule::Constant { .. } | Schedule::Ramp { .. }))
            if outcome.ended == Ended::Complete =>
        {
            scheduled(outcome, schedule).saturating_sub(counts.sent + counts.unsent)
        }
        _ => counts.overdue,
    }
}

/// What this kind adds to the result.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct EchoSection {
    /// Of workloads whose messages are answered.
    exchange: Option<ExchangeRow>,
}

/// Messages that were sent and answered.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Exchange")]
pub struct ExchangeRow {
    /// Messages that were due within the window and sent.
    sent: u64,
    /// Of these, messages whose answer came as it should.
    echoed: u64,
    /// Messages that were due within the window on connections that were not open.
    unsent: u64,
    /// Messages that were due within the window and that the engine was too late to send.
    overdue: u64,
    /// The planned rate; null in a closed loop.
    offered_rate_per_s: Option<f64>,
    /// Correct answers that came within the window, per second of the window.
    achieved_rate_per_s: f64,
    /// The share of what was due within the window that was answered as fast as it was due, at
    /// most 1; null in a closed loop.
    achieved_share: Option<f64>,
    /// Correct answers that came within the window, whenever their messages were due.
    completed: u64,
    /// Messages that were sent, and not answered when the window ended.
    backlog: BacklogRow,
    /// Time from when a message was due until its answer was read.
    response_time_ns: Buckets,
    /// Time from when a message was sent until its answer was read.
    service_time_ns: Buckets,
    /// Time from when a message was due until it was sent, in an open loop: the engine's own delay.
    send_delay_ns: Buckets,
}

impl ExchangeRow {
    fn new(outcome: &Outcome<'_, ExchangeCounts>) -> Self {
        let (recorded, counts) = (outcome.recorded, outcome.counts);
        let overdue = overdue(outcome);
        let offered = outcome.schedule.map(|schedule| {
            // What was due in the moment of an interruption was nobody's to send.
            if outcome.ended == Ended::Interrupted {
                return counts.sent + counts.unsent;
            }
            scheduled(outcome, schedule)
        });
        Self {
            sent: counts.sent,
            echoed: counts.echoed,
            unsent: counts.unsent,
            overdue,
            offered_rate_per_s: offered.map(|messages| outcome.rate_per_s(messages)),
            achieved_rate_per_s: outcome.rate_per_s(counts.completed),
            achieved_share: outcome.schedule.map(|_| {
                let due = counts.sent + counts.unsent + overdue;
                share(counts.sustained, due).min(1.0)
            }),
            completed: counts.completed,
            backlog: BacklogRow::new(counts.answered_in_drain, counts.unanswered),
            response_time_ns: buckets(&recorded.latencies.recorder.response_time_ns),
            service_time_ns: buckets(&recorded.latencies.recorder.service_time_ns),
            send_delay_ns: buckets(&recorded.latencies.recorder.send_delay_ns),
        }
    }
}

/// Messages that were sent, also those due in the warm-up, and not answered when the window ended.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Backlog")]
pub struct BacklogRow {
    /// How many they were.
    at_window_end: u64,
    /// Of these, messages that were answered correctly after the window.
    answered_in_drain: u64,
    /// Of these, messages that were not.
    unanswered: u64,
}

impl BacklogRow {
    fn new(answered_in_drain: u64, unanswered: u64) -> Self {
        Self {
            at_window_end: answered_in_drain + unanswered,
            answered_in_drain,
            unanswered,
        }
    }
}
