//! What a client does with its connections: one implementation for each workload.

mod answer;
mod exchange;
mod feed;
mod idle;
mod in_flight;
mod messages;
mod receive;
mod recorded;

use autostrada_measure::{Nanos, RecordError};
use autostrada_proto::frame::Opcode;

use super::sending::Outbox;
use super::start::Timetable;
pub use answer::Answer;
pub use exchange::{Exchange, LoadModel};
pub use feed::FeedTerms;
pub use idle::Idle;
pub use messages::Messages;
pub use receive::{Enough, Expected, Receive};
pub use recorded::{Latencies, Recorded, SlowCounts};

/// A whole message that has come.
#[derive(Debug, Clone, Copy)]
pub struct Message<'a> {
    /// Text or binary.
    pub opcode: Opcode,
    /// Its content; a text is valid UTF-8.
    pub payload: &'a [u8],
}

/// How much of a message is shown as an example.
const EXAMPLE_BYTES: usize = 60;

impl Message<'_> {
    /// Shows what came, for an example of what should not have come.
    #[must_use]
    pub fn describe(&self) -> String {
        let shown = &self.payload[..self.payload.len().min(EXAMPLE_BYTES)];
        let kind = if self.opcode == Opcode::Text {
            "text"
        } else {
            "binary"
        };
        format!(
            "{kind} of {} bytes, \"{}\"",
            self.payload.len(),
            shown.escape_ascii()
        )
    }
}

/// What one thread does with its share of the connections.
///
/// Instants are arguments. A connection is known by its number within the thread. What a
/// workload does not care for does nothing.
pub trait Workload {
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

    /// Whether the frames to come are known beforehand, and `take_known` is to be asked.
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

    /// What has been recorded, at the end.
    fn into_recorded(self) -> Recorded;

    /// Whether all that was planned has come, before the time is over.
    fn is_over(&self) -> bool {
        false
    }

    /// Whether answers are still awaited.
    fn has_pending(&self) -> bool {
        false
    }
}
