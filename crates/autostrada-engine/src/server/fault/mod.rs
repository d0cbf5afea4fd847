//! Injection of faults of known size, for calibration.

mod growth;
mod message;
mod message_faults;
mod queue;
mod stalls;
mod work;

use std::collections::VecDeque;

use autostrada_measure::Nanos;

use crate::plan::FaultPlan;
use growth::Growth;
use message_faults::MessageFaults;
use queue::Queue;
use work::Work;

pub use message::Message;
pub use queue::{Departure, Recipient};
pub use stalls::Stalls;

/// The faults of a server that all its connections share.
#[derive(Debug)]
pub struct Faults {
    plan: FaultPlan,
    /// Delayed messages of all connections.
    pub queue: Queue,
    /// Stops of the whole server; `None` if none are planned.
    pub stalls: Option<Stalls>,
    growth: Option<Growth>,
    work: Option<Work>,
    /// Connections that the server has begun to end, and whose time limit is still to be started.
    pub closing: Vec<Recipient>,
}

/// The faults of one connection.
#[derive(Debug)]
pub struct ConnectionFaults {
    /// The connection that has these faults.
    pub recipient: Recipient,
    messages: MessageFaults,
    /// Memory of this connection's messages in the queue, in bytes.
    pub waiting_bytes: usize,
    /// Number of messages still to be sent, and how the connection ends after them; `None` if it
    /// does not end early.
    ending: Option<(u64, Ending)>,
}

/// How a connection ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With a closing handshake (`close_after`).
    Close,
    /// With a reset (`abort_after`).
    Abort,
}

impl Faults {
    /// Creates the faults of a plan.
    pub fn new(plan: &FaultPlan) -> Self {
        Self {
            queue: Queue::new(plan),
            stalls: plan.stall().map(Stalls::new),
            growth: plan.grow_bytes.map(Growth::new),
            work: plan.work_us.map(Work::new),
            plan: plan.clone(),
            closing: Vec::new(),
        }
    }

    /// Creates the faults of one connection.
    pub fn for_connection(&self, recipient: Recipient) -> ConnectionFaults {
        let close = self.plan.close_after.map(|after| (after, Ending::Close));
        let abort = self.plan.abort_after.map(|after| (after, Ending::Abort));
        ConnectionFaults {
            recipient,
            messages: MessageFaults::new(&self.plan),
            waiting_bytes: 0,
            ending: close.or(abort),
        }
    }

    /// Returns when the next stop or the next delayed message is due; `None` if neither is planned.
    pub fn next_at(&self) -> Option<Nanos> {
        let stalls = self.stalls.as_ref().and_then(Stalls::next_at);
        [stalls, self.queue.next_at()].into_iter().flatten().min()
    }
}

impl ConnectionFaults {
    /// Takes a message that would be sent at `now` without faults.
    ///
    /// Appends to `out` the messages to send at once, and queues the others.
    pub fn inject(
        &mut self,
        message: Message,
        now: Nanos,
        faults: &mut Faults,
        out: &mut VecDeque<Message>,
    ) {
        if let Some(growth) = &mut faults.growth {
            growth.grow();
        }
        if let Some(work) = &mut faults.work {
            work.perform();
        }
        self.messages.push(message, out);
        self.delay(now, faults, out);
    }

    /// Releases all held messages, because no further one follows.
    ///
    /// Appends to `out` the messages to send at once, and queues the others. Returns whether the
    /// connection is to be closed at once; if not, its end is in the queue.
    pub fn finish(&mut self, now: Nanos, faults: &mut Faults, out: &mut VecDeque<Message>) -> bool {
        self.messages.finish(out);
        self.delay(now, faults, out);
        if faults.queue.is_idle() {
            return true;
        }
        self.enqueue(now, faults, Departure::End);
        false
    }

    /// Moves messages into the queue, if a delay or a rate is planned.
    fn delay(&mut self, now: Nanos, faults: &mut Faults, out: &mut VecDeque<Message>) {
        if faults.queue.is_idle() {
            return;
        }
        for message in out.drain(..) {
            self.enqueue(now, faults, Departure::Message(message));
        }
    }

    fn enqueue(&mut self, now: Nanos, faults: &mut Faults, departure: Departure) {
        self.waiting_bytes += departure.held_bytes();
        faults.queue.push(now, self.recipient, departure);
    }

    /// Records that a message or an end of this connection has left the queue.
    pub fn note_departure(&mut self, departure: &Departure) {
        self.waiting_bytes -= departure.held_bytes();
    }

    /// Drops everything of this connection from the queue.
    pub fn drop_delayed(&mut self, faults: &mut Faults) {
        if self.waiting_bytes > 0 {
            self.waiting_bytes = 0;
            faults.queue.remove(self.recipient);
        }
    }

    /// Counts a sent message; returns how the connection ends if this was the last one.
    pub fn count_sent(&mut self) -> Option<Ending> {
        let (left, ending) = self.ending.as_mut()?;
        *left = left.saturating_sub(1);
        (*left == 0).then_some(*ending)
    }
}
