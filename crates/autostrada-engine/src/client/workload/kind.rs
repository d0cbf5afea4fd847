//! What each kind of workload defines: its plan, what a thread does, and its section of the result.

use autostrada_measure::{Nanos, OpenLoop, RecordError, Schedule, Share};
use schemars::JsonSchema;
use serde::Serialize;

use super::message::Message;
use super::recorded::Recorded;
use super::recovery::Recovery;
use super::slow_readers::SlowReaders;
use crate::client::sending::{Encoding, Outbox};
use crate::client::start::{Durations, Timetable};
use crate::ended::Ended;
use crate::plan::{Phases, PlanError, ProtocolPlan};

/// What a plan says of its workload, whatever its kind.
pub trait WorkloadPlan {
    /// Checks what the types cannot; the phases are checked apart.
    ///
    /// # Errors
    ///
    /// When the workload asks for what cannot be done.
    fn check(&self, connections: usize, protocol: &ProtocolPlan) -> Result<(), PlanError>;

    /// How long the parts of the trial take; `None` where messages end it.
    fn phases(&self) -> Option<&Phases>;

    /// How many messages each connection receives, where that ends the trial.
    fn messages(&self) -> Option<u64> {
        None
    }

    /// When messages are due, in an open loop.
    ///
    /// # Errors
    ///
    /// When a rate is out of range.
    fn schedule(&self, _connections: usize) -> Result<Option<Schedule>, PlanError> {
        Ok(None)
    }

    /// Whether messages are received that tell when they were due.
    fn has_delivery_times(&self) -> bool {
        false
    }

    /// Whether it sends messages.
    fn sends(&self) -> bool {
        false
    }

    /// The longest payload of a frame that is sent, where messages are fragmented.
    fn fragment_bytes(&self) -> Option<usize> {
        None
    }

    /// How many of so many connections receive each message of a broadcast in time.
    fn broadcast_receivers(&self, connections: u64) -> u64 {
        connections
    }

    /// The receive buffers of the sockets of slow readers, where they have their own.
    fn slow_receive_buffer_bytes(&self) -> Option<usize> {
        None
    }
}

/// A kind of workload, by its plan.
pub trait Kind: WorkloadPlan + Sync {
    /// What a thread does.
    type Workload: Workload + Send;
    /// What this kind adds to the result: an object of optional keys, by default without values.
    type Section: Default + Serialize + JsonSchema;

    /// Makes the workload of one thread.
    ///
    /// # Errors
    ///
    /// When its messages cannot be made.
    fn workload(&self, thread: Thread<'_>) -> Result<Self::Workload, PlanError>;

    /// Its part of the result.
    fn section(&self, outcome: &Outcome<'_, <Self::Workload as Workload>::Counts>)
    -> Self::Section;

    /// How much was offered and sent, in an open loop: whether the engine was the bottleneck.
    fn open_loop<'a>(
        &self,
        _outcome: &Outcome<'a, <Self::Workload as Workload>::Counts>,
    ) -> Option<OpenLoop<'a>> {
        None
    }
}

/// What the workload of a thread is made of.
pub struct Thread<'a> {
    /// Its share of the connections.
    pub share: Share,
    /// How many connections all threads have.
    pub all_connections: usize,
    /// The protocol of all connections.
    pub protocol: &'a ProtocolPlan,
    /// Whether messages may be compressed.
    pub is_compressed: bool,
    /// How messages are written on connections that negotiate nothing.
    pub encoding: &'a mut Encoding,
}

impl Thread<'_> {
    /// How many connections it has.
    pub fn connections(&self) -> usize {
        usize::try_from(self.share.connections()).expect("not more than were planned")
    }
}

/// What all threads together have recorded, and when.
#[derive(Debug)]
pub struct Outcome<'a, C> {
    /// What all kinds record.
    pub recorded: &'a Recorded,
    /// What only this kind records.
    pub counts: &'a C,
    /// When the window began.
    pub window_start: Nanos,
    /// How long it was: shorter than planned where the trial was interrupted.
    pub window_ns: Nanos,
    /// How long the parts of the trial were planned to take.
    pub durations: Durations,
    /// When messages were due, in an open loop.
    pub schedule: Option<Schedule>,
    /// How the trial ended.
    pub ended: Ended,
}

impl<C> Outcome<'_, C> {
    /// So many messages per second of the window.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a rate needs no more than 53 bits"
    )]
    pub fn rate_per_s(&self, messages: u64) -> f64 {
        if self.window_ns > 0 {
            messages as f64 * 1e9 / self.window_ns as f64
        } else {
            0.0
        }
    }
}

/// `part / whole`, of instants or of messages, and 0 where there is no whole.
#[expect(
    clippy::cast_precision_loss,
    reason = "a share needs no more than 53 bits"
)]
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// What threads record, each its part.
pub trait Merge: Default {
    /// Adds what another thread has recorded.
    fn merge(&mut self, other: &Self);
}

impl Merge for () {
    fn merge(&mut self, (): &Self) {}
}

/// Of kinds that add nothing to the result.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct NoSection {}

/// What one thread does with its share of the connections.
///
/// Instants are arguments. A connection is known by its number within the thread. What a
/// workload does not care for does nothing.
pub trait Workload {
    /// What it records beside what all kinds record.
    type Counts: Merge;

    /// Whether what comes is sent back: no more is taken in while much of that waits to be read.
    const ANSWERS: bool = false;

    /// The instants of the trial are known.
    fn begin(&mut self, _timetable: &Timetable) {}

    /// The trial begins on an open connection.
    ///
    /// # Errors
    ///
    /// When a duration cannot be recorded, which ends the trial.
    fn started(
        &mut self,
        _connection: usize,
        _outbox: &mut Outbox,
        _now: Nanos,
    ) -> Result<(), RecordError> {
        Ok(())
    }

    /// Whether the frames to come are known in advance, and `take_known` is called.
    fn knows_frames(&self) -> bool {
        false
    }

    /// Takes messages off the front of `input` without decoding; returns how many bytes.
    ///
    /// Called between messages only.
    fn take_known(
        &mut self,
        _connection: usize,
        _input: &[u8],
        _outbox: &mut Outbox,
        _now: Nanos,
    ) -> usize {
        0
    }

    /// A message has come.
    ///
    /// # Errors
    ///
    /// When a duration cannot be recorded, which ends the trial.
    fn received(
        &mut self,
        connection: usize,
        message: Message<'_>,
        outbox: &mut Outbox,
        now: Nanos,
    ) -> Result<(), RecordError>;

    /// When the next message is due, and for which connection; `None` if never.
    fn next_due(&self) -> Option<(Nanos, usize)> {
        None
    }

    /// Sends the message that is due; there is no outbox where the connection is not open.
    ///
    /// # Errors
    ///
    /// When it is late by more than can be recorded.
    fn send_due(&mut self, _outbox: Option<&mut Outbox>, _now: Nanos) -> Result<(), RecordError> {
        Ok(())
    }

    /// Leaves out the message that is due: it is too late for it.
    fn skip_due(&mut self) {}

    /// The window ends, as planned or earlier.
    fn stop_sending(&mut self, _now: Nanos) {}

    /// A connection is over.
    fn closed(&mut self, _connection: usize) {}

    /// Whether the peer may close the connection with this code: no failure then.
    fn expects_close(&self, _code: u16) -> bool {
        false
    }

    /// What is still awaited is not waited for any longer.
    fn give_up(&mut self, _now: Nanos) {}

    /// What has been recorded so far.
    fn recorded(&mut self) -> &mut Recorded;

    /// What has been recorded, at the end: what all kinds record, and what only this one does.
    fn into_recorded(self) -> (Recorded, Self::Counts);

    /// The connections that read slowly during the window, if any do.
    fn slow_readers(&mut self) -> Option<&mut SlowReaders> {
        None
    }

    /// The reconnection of connections that end, if they reconnect.
    fn recovery(&mut self) -> Option<&mut Recovery> {
        None
    }

    /// Whether all that was planned has come, before the time is over.
    fn is_over(&self) -> bool {
        false
    }

    /// Whether answers are still awaited.
    fn has_pending(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_nothing_is_nothing() {
        assert!((share(1, 4) - 0.25).abs() < f64::EPSILON);
        assert!(share(5, 0).abs() < f64::EPSILON);
    }
}
