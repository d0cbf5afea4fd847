//! Faults of a known size, for calibration.

mod growth;
mod message;
mod queue;
mod script;
mod stalls;

use std::collections::VecDeque;

use autostrada_measure::Nanos;

use crate::plan::FaultPlan;
use growth::Growth;
use queue::Queue;
use script::Script;

pub use message::Message;
pub use queue::{Departure, Recipient};
pub use stalls::Stalls;

/// What goes wrong in a server, beside what goes wrong on each of its connections.
#[derive(Debug)]
pub struct Faults {
    plan: FaultPlan,
    /// Messages that wait for their time.
    pub queue: Queue,
    /// When the whole server stands still.
    pub stalls: Option<Stalls>,
    growth: Option<Growth>,
    /// Connections that have been told that they are over.
    pub left: Vec<Recipient>,
}

/// What goes wrong on one connection.
#[derive(Debug)]
pub struct ConnectionFaults {
    recipient: Recipient,
    script: Script,
    /// What waits in the queue.
    waiting_bytes: usize,
    /// So many more messages are sent; then this.
    ending: Option<(u64, Ending)>,
}

/// How a connection ends before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// By a closing handshake.
    Close,
    /// By a reset.
    Abort,
}

impl Faults {
    /// The faults of a plan.
    pub fn new(plan: &FaultPlan) -> Self {
        Self {
            queue: Queue::new(plan),
            stalls: plan.stall().map(Stalls::new),
            growth: plan.grow_bytes.map(Growth::new),
            plan: plan.clone(),
            left: Vec::new(),
        }
    }

    /// Begins with a connection.
    pub fn of_connection(&self, recipient: Recipient) -> ConnectionFaults {
        let close = self.plan.close_after.map(|after| (after, Ending::Close));
        let abort = self.plan.abort_after.map(|after| (after, Ending::Abort));
        ConnectionFaults {
            recipient,
            script: Script::new(&self.plan),
            waiting_bytes: 0,
            ending: close.or(abort),
        }
    }

    /// When something happens without a cause from outside.
    pub fn next_at(&self) -> Option<Nanos> {
        let stalls = self.stalls.as_ref().and_then(Stalls::next_at);
        [stalls, self.queue.next_at()].into_iter().flatten().min()
    }
}

impl ConnectionFaults {
    /// Whose messages they are.
    pub fn recipient(&self) -> Recipient {
        self.recipient
    }

    /// How much waits for its time.
    pub fn waiting_bytes(&self) -> usize {
        self.waiting_bytes
    }

    /// Takes a message that would be sent at this instant; what is to be sent at once comes to
    /// `out`.
    pub fn take(
        &mut self,
        message: Message,
        now: Nanos,
        faults: &mut Faults,
        out: &mut VecDeque<Message>,
    ) {
        if let Some(growth) = &mut faults.growth {
            growth.grow();
        }
        self.script.push(message, out);
        self.wait(now, faults, out);
    }

    /// Takes note that no further message will come; returns whether the end is to be said at once.
    pub fn finish(&mut self, now: Nanos, faults: &mut Faults, out: &mut VecDeque<Message>) -> bool {
        self.script.finish(out);
        self.wait(now, faults, out);
        if faults.queue.is_idle() {
            return true;
        }
        self.enqueue(now, faults, Departure::End);
        false
    }

    /// Puts messages into the queue, if they have to wait.
    fn wait(&mut self, now: Nanos, faults: &mut Faults, out: &mut VecDeque<Message>) {
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

    /// Takes note that something has left the queue.
    pub fn note_departure(&mut self, departure: &Departure) {
        self.waiting_bytes -= departure.held_bytes();
    }

    /// Forgets what waits in the queue.
    pub fn forget(&mut self, faults: &mut Faults) {
        if self.waiting_bytes > 0 {
            self.waiting_bytes = 0;
            faults.queue.forget(self.recipient);
        }
    }

    /// Counts a message that is sent; returns how the connection ends, if it does.
    pub fn count_sent(&mut self) -> Option<Ending> {
        let (left, ending) = self.ending.as_mut()?;
        *left = left.saturating_sub(1);
        (*left == 0).then_some(*ending)
    }
}
