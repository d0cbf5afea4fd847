//! The traits of a kind of workload: its plan, its threads, and its section of the result.

use std::fmt::Debug;
use std::sync::Arc;

use autostrada_measure::{Nanos, OpenLoop, RecordError, Schedule, Share};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::message::Message;
use super::records::Records;
use super::recovery::Recovery;
use super::slow_readers::SlowReaders;
use crate::client::merge::Merge;
use crate::client::sending::{Encoding, Outbox};
use crate::client::timetable::{Durations, Timetable};
use crate::ended::Ended;
use crate::plan::{Phases, PlanError, ProtocolPlan, Shares, Users};

/// The plan of a workload of any kind.
pub trait WorkloadPlan {
    /// Checks the constraints that the types do not express, except those of the phases.
    fn check(&self, connections: usize, protocol: &ProtocolPlan) -> Result<(), PlanError>;

    /// Returns the durations of the phases, or `None` if the trial ends by messages.
    fn phases(&self) -> Option<&Phases>;

    /// Returns the number of messages after which each connection is closed, or `None` if the trial
    /// ends by time.
    fn messages(&self) -> Option<u64> {
        None
    }

    /// Returns the schedule of an open loop, or `None` if messages are not scheduled.
    fn schedule(&self, _connections: usize) -> Result<Option<Schedule>, PlanError> {
        Ok(None)
    }

    /// Whether received messages contain the instant at which they were due.
    fn has_delivery_times(&self) -> bool {
        false
    }

    /// Returns the number of messages after which all connections stop sending, or `None` without a
    /// limit.
    fn sent_max(&self) -> Option<u64> {
        None
    }

    /// Whether the workload sends messages.
    fn sends(&self) -> bool {
        false
    }

    /// Whether the load can be divided into slices: a closed loop that ends when it is told to.
    fn has_slices(&self) -> bool {
        false
    }

    /// Whether all connections must belong to one thread.
    fn needs_one_thread(&self) -> bool {
        false
    }

    /// Returns from which of this many connections on another path is asked for, and the path;
    /// `None` if all ask for that of the URL.
    fn other_path(&self, _connections: usize) -> Option<(usize, &str)> {
        None
    }

    /// Whether connections that have ended are opened again.
    fn reconnects(&self) -> bool {
        false
    }

    /// Returns the maximum payload of a sent frame in bytes, or `None` if messages are not
    /// fragmented.
    fn fragment_bytes(&self) -> Option<usize> {
        None
    }

    /// Returns how many of this many connections receive each message of a broadcast: all that are
    /// not slow.
    fn broadcast_receivers(&self, connections: u64) -> u64 {
        connections
    }

    /// Returns the receive buffer size of slow connections, or `None` if it does not differ from
    /// that of the others.
    fn slow_receive_buffer_bytes(&self) -> Option<usize> {
        None
    }
}

/// A kind of workload, implemented by its plan.
pub trait Kind: WorkloadPlan + Sync {
    /// The workload of one thread.
    type Workload: Workload + Send;
    /// The section of the result: an object of optional keys, by default without values.
    type Section: Clone + Debug + Default + DeserializeOwned + JsonSchema + Merge + Serialize;

    /// Creates the workload of one thread.
    fn workload(&self, thread: Thread<'_>) -> Result<Self::Workload, PlanError>;

    /// Returns the section of the result.
    fn section(&self, outcome: &Outcome<'_, <Self::Workload as Workload>::Counts>)
    -> Self::Section;

    /// Returns why received messages cannot be taken for answers; `None` if they can.
    fn distrust(
        &self,
        _outcome: &Outcome<'_, <Self::Workload as Workload>::Counts>,
    ) -> Option<String> {
        None
    }

    /// Returns the offered and sent rates of an open loop, which show whether the load generator
    /// was the bottleneck; `None` in a closed loop.
    fn open_loop<'a>(
        &self,
        _outcome: &Outcome<'a, <Self::Workload as Workload>::Counts>,
    ) -> Option<OpenLoop<'a>> {
        None
    }
}

/// The parameters from which the workload of a thread is created.
pub struct Thread<'a> {
    /// The thread's share of the connections.
    pub share: Share,
    /// Number of connections of all threads.
    pub all_connections: usize,
    /// The protocol of all connections.
    pub protocol: &'a ProtocolPlan,
    /// Whether compression is offered.
    pub is_compressed: bool,
    /// Encoding of messages on connections that negotiate no extension.
    pub encoding: &'a mut Encoding,
    /// The users of all connections; `None` without users.
    pub users: Option<Arc<Users>>,
}

impl Thread<'_> {
    /// Returns the number of connections of the thread.
    pub fn connections(&self) -> usize {
        usize::try_from(self.share.connections()).expect("not more than were planned")
    }
}

/// The sum of what all threads recorded, and the window in which they did.
#[derive(Debug)]
pub struct Outcome<'a, C> {
    /// Records that all kinds have.
    pub records: &'a Records,
    /// Counts that only this kind has.
    pub counts: &'a C,
    /// Instant at which the window began.
    pub window_start: Nanos,
    /// Length of the window, shorter than planned if the trial was interrupted.
    pub window_ns: Nanos,
    /// Planned durations of the phases.
    pub durations: Durations,
    /// Schedule of an open loop, or `None` if messages were not scheduled.
    pub schedule: Option<Schedule>,
    /// The shares of the engine's threads in the schedule.
    pub shares: Shares,
    /// How the trial ended.
    pub ended: Ended,
}

/// Length of the shortest window in which the growth of a rate is more than chance.
const GROWTH_WINDOW_NS_MIN: Nanos = 1_000_000_000;

impl<C> Outcome<'_, C> {
    /// Returns a number of messages per second of the window, 0 if the window is empty.
    pub fn rate_per_s(&self, messages: u64) -> f64 {
        if self.window_ns > 0 {
            messages as f64 * 1e9 / self.window_ns as f64
        } else {
            0.0
        }
    }

    /// Returns how often as many messages as in the first half of the window were counted in its
    /// second half: of `messages`, `early` were in the first.
    ///
    /// It is `None` if a schedule decided, if the window was shorter than a second or than planned,
    /// and without messages in the first half.
    pub fn rate_growth(&self, messages: u64, early: u64) -> Option<f64> {
        let planned_ns = self.durations.window_ns;
        let is_whole = self.window_ns >= planned_ns && planned_ns >= GROWTH_WINDOW_NS_MIN;
        (self.schedule.is_none() && is_whole && early > 0).then(|| share(messages - early, early))
    }
}

/// Returns `part / whole`, or 0 if `whole` is 0.
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// Returns the share of all messages that were due which two parts of a load achieved, from their
/// numbers of messages and their shares; that of one part if the other has none.
pub fn merged_share(due: [u64; 2], shares: [Option<f64>; 2]) -> Option<f64> {
    let [Some(ours), Some(theirs)] = shares else {
        return shares[0].or(shares[1]);
    };
    let achieved = due[0] as f64 * ours + due[1] as f64 * theirs;
    Some(achieved / ((due[0] + due[1]) as f64).max(1.0))
}

/// Returns how the rate of two parts of a load grew, from their messages and the growth of each;
/// `None` if that of one is not known.
pub fn merged_growth(messages: [u64; 2], growth: [Option<f64>; 2]) -> Option<f64> {
    let early = |part: usize| Some(messages[part] as f64 / (1.0 + growth[part]?));
    let early = early(0)? + early(1)?;
    let all = (messages[0] + messages[1]) as f64;
    (early > 0.0).then(|| (all - early) / early)
}

/// The section of kinds that add nothing to the result.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
pub struct NoSection {}

impl Merge for NoSection {
    fn merge(&mut self, _other: &Self) {}
}

/// The actions of one thread on its share of the connections.
///
/// Instants are arguments. A connection is identified by its index within the thread. By default, a
/// method does nothing.
pub trait Workload {
    /// Counts that only this kind records.
    type Counts: Default + Merge;

    /// Whether received messages are sent back. If so, reading pauses while many unsent bytes wait.
    const ANSWERS: bool = false;

    /// Begins to fetch the state of a connection into the cache.
    #[inline]
    fn prefetch(&self, _connection: usize) {}

    /// Sets the instants of the trial.
    fn begin(&mut self, _timetable: &Timetable) {}

    /// Sets the instants of a slice, whose drain is part of its window.
    fn begin_slice(&mut self, _timetable: &Timetable) {}

    /// Exchanges the records of the slices that count for those of the slices that do not.
    fn swap_records(&mut self, _others: &mut (Records, Self::Counts)) {}

    /// Returns the number of correct answers in the slices whose records are in use.
    fn answered(&self) -> u64 {
        0
    }

    /// Whether an answer was awaited without success: no more messages are sent where that was.
    fn has_lost(&self) -> bool {
        false
    }

    /// Starts the workload on an open connection.
    /// Returns an error, which ends the trial, if a duration is out of range.
    fn started(
        &mut self,
        _connection: usize,
        _outbox: &mut Outbox,
        _now: Nanos,
    ) -> Result<(), RecordError> {
        Ok(())
    }

    /// Whether the received frames are known in advance, so that
    /// [`consume_known`](Self::consume_known) is called.
    fn has_known_frames(&self) -> bool {
        false
    }

    /// Consumes known messages at the front of `input` without decoding them; returns the number of
    /// bytes consumed.
    ///
    /// Called between messages only.
    fn consume_known(
        &mut self,
        _connection: usize,
        _input: &[u8],
        _outbox: &mut Outbox,
        _now: Nanos,
    ) -> usize {
        0
    }

    /// Processes a received message; only counts it unless the workload expects messages.
    /// Returns an error if a duration is out of range, which ends the connection.
    fn received(
        &mut self,
        _connection: usize,
        message: Message<'_>,
        _outbox: &mut Outbox,
        now: Nanos,
    ) -> Result<(), RecordError> {
        self.records().count(1, message.payload.len() as u64, now);
        Ok(())
    }

    /// Counts an event of Socket.IO where acknowledgements answer; returns whether that is all, because
    /// it cannot be an answer.
    fn is_only_counted(&mut self, _event: Message<'_>, _now: Nanos) -> bool {
        false
    }

    /// Returns the instant at which the next message is due and the index of its connection, or
    /// `None` if no further message is scheduled.
    fn next_due(&self) -> Option<(Nanos, usize)> {
        None
    }

    /// Sends the message that is due; `outbox` is `None` if its connection is not open.
    /// Returns an error, which ends the trial, if the send delay is out of range.
    fn send_due(&mut self, _outbox: Option<&mut Outbox>, _now: Nanos) -> Result<(), RecordError> {
        Ok(())
    }

    /// Changes how much faster than planned scheduled messages are due, from `now` on.
    fn set_pace(&mut self, _factor: f64, _now: Nanos) {}

    /// Skips the message that is due because it is too late to send it, and counts it as overdue.
    fn skip_due(&mut self) {}

    /// Ends the window, as planned or earlier.
    fn stop_sending(&mut self, _now: Nanos) {}

    /// Begins to count the messages that come although each message has its answer; returns until when
    /// they are awaited, or `None` if they are not.
    fn await_surplus(&mut self, _now: Nanos) -> Option<Nanos> {
        None
    }

    /// Whether so many such messages came that no more are awaited.
    fn is_surplus_ample(&self) -> bool {
        false
    }

    /// Processes the end of a connection.
    fn closed(&mut self, _connection: usize) {}

    /// Whether the peer may close the connection with this code without a failure.
    fn expects_close(&self, _code: u16) -> bool {
        false
    }

    /// Stops waiting for outstanding messages, and counts them as failures.
    fn give_up(&mut self, _now: Nanos) {}

    /// Returns the records so far.
    fn records(&mut self) -> &mut Records;

    /// Returns the final records: those that all kinds have, and those that only this kind has.
    fn into_records(self) -> (Records, Self::Counts);

    /// Returns the connections that read slowly during the window, or `None` if the workload has
    /// none.
    fn slow_readers(&mut self) -> Option<&mut SlowReaders> {
        None
    }

    /// Returns the state of reconnecting, or `None` if connections do not reconnect.
    fn recovery(&mut self) -> Option<&mut Recovery> {
        None
    }

    /// Whether all planned messages have been received, so that the trial can end early.
    fn is_over(&self) -> bool {
        false
    }

    /// Whether answers are outstanding.
    fn has_pending(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::PartPlan;

    #[test]
    fn a_share_of_nothing_is_nothing() {
        assert!((share(1, 4) - 0.25).abs() < f64::EPSILON);
        assert!(share(5, 0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_rate_is_compared_in_both_halves_of_a_whole_window() {
        let records = Records::default();
        let growth = |window_ns, planned_ns, early| {
            let outcome = Outcome {
                records: &records,
                counts: &(),
                window_start: 0,
                window_ns,
                durations: Durations {
                    window_ns: planned_ns,
                    ..Durations::default()
                },
                schedule: None,
                shares: PartPlan::default().shares(1, 1),
                ended: Ended::Complete,
            };
            outcome.rate_growth(250, early)
        };
        let planned_ns = 2 * GROWTH_WINDOW_NS_MIN;
        assert_eq!(growth(planned_ns, planned_ns, 100), Some(1.5));
        assert_eq!(growth(planned_ns, planned_ns, 0), None);
        assert_eq!(growth(planned_ns - 1, planned_ns, 100), None);
        let short_ns = GROWTH_WINDOW_NS_MIN - 1;
        assert_eq!(growth(short_ns, short_ns, 100), None);
    }
}
