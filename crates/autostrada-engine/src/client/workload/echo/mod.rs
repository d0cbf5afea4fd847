//! Echo: each connection sends messages and receives them back.

mod counts;
mod deliveries;
mod exchange;
mod in_flight;
mod matching;
mod messages;
mod stretch;
mod surplus;

use autostrada_measure::{Arrivals, Nanos, OpenLoop, Schedule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{Kind, Outcome, Thread, WorkloadPlan, merged_growth, merged_share, share};
use crate::client::buckets::{Buckets, buckets};
use crate::client::merge::{Merge, merge};
use crate::ended::Ended;
use crate::plan::{PayloadPlan, Phases, PlanError, ProtocolPlan, ReplyPlan, SchedulePlan};
pub use counts::Answers;
use counts::ExchangeCounts;
use deliveries::Deliveries;
pub use deliveries::DeliveriesRow;
use exchange::Exchange;
use matching::Matching;
use messages::Messages;

/// Share of the received messages that may answer nothing, where any message is taken for an answer.
const OTHERS_SHARE_MAX: f64 = 0.01;

/// What to do if the next message is no answer.
const DISTRUST_REMEDY: &str = "\
say what is (--reply until:PATTERN if it is several messages, --reply json:$.id if it has an \
identifier), or only count messages (--receive, --reply none)";

/// Send messages that the server answers. With `window`, a closed loop: each answer is followed by
/// the next message. With `schedule`, an open loop: each message is sent when it is due, whether or
/// not earlier ones are answered. At most one of them is allowed. Default: `window` 1.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "EchoWorkload")]
#[serde(deny_unknown_fields)]
pub struct EchoPlan {
    /// Closed loop: number of messages in flight on each connection. Default: 1, unless `schedule`
    /// is given.
    #[schemars(range(min = 1))]
    window: Option<usize>,
    /// Open loop: the instants at which messages are due. Default: a closed loop.
    schedule: Option<SchedulePlan>,
    /// The messages to send. Default: the text `hello world`.
    #[serde(default = "PayloadPlan::hello")]
    payload: PayloadPlan,
    /// What answers a message. Default: `same`.
    #[serde(default)]
    reply: ReplyPlan,
    /// Number of messages that all connections send together. The load ends when they are answered,
    /// at the latest with the window. Default: no limit.
    #[schemars(range(min = 1))]
    messages: Option<u64>,
    /// Durations of the phases of the trial.
    phases: Phases,
}

/// The load model: closed or open loop.
#[derive(Debug)]
pub enum LoadModel {
    /// A closed loop with this many messages in flight on each connection.
    Closed(usize),
    /// An open loop: messages are sent when they are due, whether or not earlier ones are answered.
    Open(Arrivals),
}

impl WorkloadPlan for EchoPlan {
    fn check(&self, connections: usize, _protocol: &ProtocolPlan) -> Result<(), PlanError> {
        if self.window.is_some() && self.schedule.is_some() {
            return Err(PlanError::new(
                "echo: set only one of window (closed loop) and schedule (open loop)",
            ));
        }
        if self.window == Some(0) {
            return Err(PlanError::new("window must be at least 1"));
        }
        if self.messages == Some(0) {
            return Err(PlanError::new("messages must be at least 1"));
        }
        let is_closed_loop = self.schedule(connections)?.is_none();
        self.reply.check(&self.payload, is_closed_loop)?;
        self.payload.source().map(drop)
    }

    fn phases(&self) -> Option<&Phases> {
        Some(&self.phases)
    }

    fn schedule(&self, connections: usize) -> Result<Option<Schedule>, PlanError> {
        let schedule = self.schedule.as_ref();
        schedule.map(|plan| plan.schedule(connections)).transpose()
    }

    fn sent_max(&self) -> Option<u64> {
        self.messages
    }

    fn sends(&self) -> bool {
        true
    }

    fn has_slices(&self) -> bool {
        self.schedule.is_none() && self.messages.is_none()
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
        let messages = Messages::new(&self.payload, thread.encoding, thread.share, thread.users)?;
        let matching = Matching::new(&self.reply, connections)?;
        let left = self.messages.map(|all| thread.share.messages(all));
        let mut exchange = Exchange::new(model, messages, matching, left, connections);
        if let ReplyPlan::Time { receivers, .. } = self.reply {
            let is_whole = connections == thread.all_connections;
            exchange.track(Deliveries::new(connections, is_whole, receivers));
        }
        Ok(exchange)
    }

    fn section(&self, outcome: &Outcome<'_, ExchangeCounts>) -> EchoSection {
        let mut row = ExchangeRow::new(outcome);
        if !self.reply.is_awaited() {
            row.achieved_share = None;
        }
        if self.distrust(outcome).is_some() {
            row.forget_answers();
        }
        EchoSection {
            exchange: Some(row),
        }
    }

    /// A server that also sends what answers nothing, as a chat does, makes the next message no
    /// answer.
    fn distrust(&self, outcome: &Outcome<'_, ExchangeCounts>) -> Option<String> {
        if !matches!(self.reply, ReplyPlan::Next) {
            return None;
        }
        let counts = outcome.counts;
        let is_mixed = |others| share(others, counts.completed + others) > OTHERS_SHARE_MAX;
        let surplus = counts.surplus.within(outcome.window_ns);
        let what = match outcome.schedule {
            None if is_mixed(counts.others) || is_mixed(surplus) => {
                "more messages came than were sent".to_owned()
            }
            Some(_) if is_mixed(counts.others) => format!(
                "{} of {} received messages answer nothing",
                counts.others,
                counts.completed + counts.others
            ),
            _ => return None,
        };
        Some(format!(
            "{what}, so that the next message is no answer: {DISTRUST_REMEDY}"
        ))
    }

    fn open_loop<'a>(&self, outcome: &Outcome<'a, ExchangeCounts>) -> Option<OpenLoop<'a>> {
        outcome.schedule?;
        let (records, counts) = (outcome.records, outcome.counts);
        // Messages due on connections that were not open are not the load generator's fault.
        Some(OpenLoop {
            send_delay_ns: &records.latencies.recorder.send_delay_ns,
            offered_rate_per_s: outcome.rate_per_s(counts.sent + overdue(outcome)),
            sent_rate_per_s: outcome.rate_per_s(counts.sent),
            sustained_rate_per_s: outcome.rate_per_s(counts.sustained),
        })
    }
}

/// Returns the number of messages that the schedule made due within the window.
fn scheduled(outcome: &Outcome<'_, ExchangeCounts>, schedule: Schedule) -> u64 {
    let before = outcome.durations.warm_up_ns;
    let due_until = |elapsed| outcome.shares.messages(schedule.offered_until(elapsed));
    due_until(before + outcome.window_ns) - due_until(before)
}

/// Returns the number of messages that were due within the window and too late to be sent.
///
/// This is the rest of the schedule if that is exact and the trial complete, otherwise the number
/// counted by the threads.
fn overdue(outcome: &Outcome<'_, ExchangeCounts>) -> u64 {
    let counts = outcome.counts;
    match outcome.schedule {
        Some(schedule @ (Schedule::Constant { .. } | Schedule::Ramp { .. }))
            if outcome.ended == Ended::Complete && !counts.is_changed =>
        {
            scheduled(outcome, schedule).saturating_sub(counts.sent + counts.unsent)
        }
        _ => counts.overdue,
    }
}

/// The section of the result for `echo`.
#[derive(Debug, Default, Clone, Deserialize, Serialize, JsonSchema)]
pub struct EchoSection {
    /// Results of `echo`; null for other workloads.
    pub exchange: Option<ExchangeRow>,
}

/// Results of a workload whose messages are answered.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "Exchange")]
pub struct ExchangeRow {
    /// Messages that were due within the window and sent.
    pub sent: u64,
    /// Messages among `sent` that were answered correctly, before the drain ended.
    pub echoed: u64,
    /// Messages that were due within the window on connections that were not open.
    pub unsent: u64,
    /// Messages that were due within the window and that the engine was too late to send.
    pub overdue: u64,
    /// Offered rate, in messages per second: messages due within the window, per second of the
    /// window. Null in a closed loop.
    pub offered_rate_per_s: Option<f64>,
    /// Messages received within the window that answered nothing, if answers are not compared with
    /// what was sent.
    pub others: u64,
    /// Achieved rate, in messages per second: `completed` per second of the window.
    pub achieved_rate_per_s: f64,
    /// Share of the messages due within the window that the server kept up with, 0 to 1: it is 1 if
    /// each is answered within 100 ms (or `drain_s` if that is shorter). Null in a closed loop, and
    /// if nothing is answered.
    pub achieved_share: Option<f64>,
    /// Correct answers received within the window, whenever their messages were due.
    pub completed: u64,
    /// Messages among `completed` of the second half of the window, as a multiple of those of its
    /// first half: 1 for a steady rate. Null in an open loop, if the window was shorter than a
    /// second or than planned, and if the first half has none.
    pub rate_growth: Option<f64>,
    /// Messages that were sent and not answered when the window ended.
    pub backlog: BacklogRow,
    /// How the answers were distributed over the connections.
    pub answers_per_connection: Answers,
    /// Response time: from when a message was due until its answer was read, in nanoseconds.
    pub response_time_ns: Buckets,
    /// Service time: from when a message was sent until its answer was read, in nanoseconds.
    pub service_time_ns: Buckets,
    /// With `until`: from when a message was due until the first message of its answer was read, in
    /// nanoseconds. The response time is that of the last one.
    pub first_message_time_ns: Buckets,
    /// With `until`: time between two messages of an answer, in nanoseconds.
    pub message_gap_ns: Buckets,
    /// Send delay: from when a message was due until it was sent, in nanoseconds. This is the
    /// engine's own delay; empty in a closed loop.
    pub send_delay_ns: Buckets,
    /// How far the clocks of the hosts that divided the load may differ, in nanoseconds, if the
    /// times are those of messages that another host may have sent. Null otherwise.
    pub clock_bound_ns: Option<Nanos>,
    /// With `time`, deliveries of the messages that were sent; null if none of these had an instant,
    /// and if engines divided the load.
    pub deliveries: Option<DeliveriesRow>,
}

merge!(EchoSection { exchange: each });

merge!(BacklogRow {
    at_window_end: sum,
    answered_in_drain: sum,
    unanswered: sum,
});

merge!(fn merge_fields of ExchangeRow {
    sent: sum,
    echoed: sum,
    unsent: sum,
    overdue: sum,
    offered_rate_per_s: sum_of_known,
    others: sum,
    achieved_rate_per_s: sum,
    achieved_share: derived,
    completed: sum,
    rate_growth: derived,
    backlog: each,
    answers_per_connection: each,
    response_time_ns: buckets,
    service_time_ns: buckets,
    first_message_time_ns: buckets,
    message_gap_ns: buckets,
    send_delay_ns: buckets,
    clock_bound_ns: most,
    deliveries: unknown,
});

impl Merge for ExchangeRow {
    fn merge(&mut self, other: &Self) {
        self.achieved_share = merged_share(
            [self.due(), other.due()],
            [self.achieved_share, other.achieved_share],
        );
        self.rate_growth = merged_growth(
            [self.completed, other.completed],
            [self.rate_growth, other.rate_growth],
        );
        self.merge_fields(other);
    }
}

impl ExchangeRow {
    /// Whether messages are answered, so that one without an answer has failed.
    pub fn is_awaited(&self) -> bool {
        self.offered_rate_per_s.is_none() || self.achieved_share.is_some()
    }

    /// Returns the number of messages that were due within the window, could be sent in time, and
    /// have no correct answer; 0 if messages are not answered.
    pub fn unanswered(&self) -> u64 {
        let due = if self.is_awaited() {
            self.sent + self.unsent
        } else {
            0
        };
        due.saturating_sub(self.echoed)
    }

    /// Returns the number of messages that were due within the window.
    pub fn due(&self) -> u64 {
        self.sent + self.unsent + self.overdue
    }

    /// Makes all received messages others, which have no times.
    fn forget_answers(&mut self) {
        self.others += self.completed;
        (self.completed, self.echoed, self.achieved_rate_per_s) = (0, 0, 0.0);
        self.achieved_share = self.achieved_share.map(|_| 0.0);
        self.rate_growth = None;
        self.answers_per_connection = Answers::default();
        for times in [
            &mut self.response_time_ns,
            &mut self.service_time_ns,
            &mut self.first_message_time_ns,
            &mut self.message_gap_ns,
        ] {
            times.clear();
        }
    }

    fn new(outcome: &Outcome<'_, ExchangeCounts>) -> Self {
        let (records, counts) = (outcome.records, outcome.counts);
        let overdue = overdue(outcome);
        let offered = outcome.schedule.map(|schedule| {
            // Messages that became due at the instant of an interruption are not counted.
            if outcome.ended == Ended::Interrupted {
                return counts.sent + counts.unsent;
            }
            if counts.is_changed {
                return counts.sent + counts.unsent + counts.overdue;
            }
            scheduled(outcome, schedule)
        });
        Self {
            sent: counts.sent,
            echoed: counts.echoed,
            unsent: counts.unsent,
            overdue,
            offered_rate_per_s: offered.map(|messages| outcome.rate_per_s(messages)),
            others: counts.others + counts.events,
            achieved_rate_per_s: outcome.rate_per_s(counts.completed),
            achieved_share: outcome.schedule.map(|_| {
                let due = counts.sent + counts.unsent + overdue;
                share(counts.sustained, due).min(1.0)
            }),
            completed: counts.completed,
            rate_growth: outcome.rate_growth(counts.completed, counts.completed_early),
            backlog: BacklogRow::new(counts.answered_in_drain, counts.unanswered),
            answers_per_connection: counts.answers,
            response_time_ns: buckets(&records.latencies.recorder.response_time_ns),
            service_time_ns: buckets(&records.latencies.recorder.service_time_ns),
            first_message_time_ns: counts.stream_buckets(|streams| &streams.first_ns),
            message_gap_ns: counts.stream_buckets(|streams| &streams.gap_ns),
            send_delay_ns: buckets(&records.latencies.recorder.send_delay_ns),
            clock_bound_ns: None,
            deliveries: {
                let all = counts.deliveries.as_ref();
                all.and_then(|all| all.row(counts.unsent + overdue))
            },
        }
    }
}

/// Messages that were sent, including those due in the warm-up, and not answered when the window
/// ended.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "Backlog")]
pub struct BacklogRow {
    /// Number of these messages.
    pub at_window_end: u64,
    /// Number of these that were answered correctly after the window.
    pub answered_in_drain: u64,
    /// Number of these that were never answered correctly.
    pub unanswered: u64,
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
