//! Echo and bots: each connection sends messages and gets them back.

use std::collections::VecDeque;

use autostrada_measure::{Arrivals, FailureKind, Nanos, RecordError, Sequence, Verdict};

use super::messages::Stamp;
use super::{Message, Messages, Outbox, Recorded, Workload};
use crate::client::start::Timetable;

/// When a message was due and sent, while its echo is awaited.
#[derive(Debug, Clone, Copy)]
struct Pending {
    due: Nanos,
    sent: Nanos,
}

/// What is in flight on one connection, in the order in which it was sent.
///
/// The oldest lies apart: with one message in flight nothing else is touched.
#[derive(Debug, Clone, Default)]
struct InFlight {
    oldest: Option<Pending>,
    others: VecDeque<Pending>,
}

impl InFlight {
    #[inline]
    fn push(&mut self, pending: Pending) {
        if self.oldest.is_none() {
            self.oldest = Some(pending);
        } else {
            self.others.push_back(pending);
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<Pending> {
        let oldest = self.oldest.take();
        if !self.others.is_empty() {
            self.oldest = self.others.pop_front();
        }
        oldest
    }

    fn len(&self) -> usize {
        usize::from(self.oldest.is_some()) + self.others.len()
    }
}

/// So many messages of a connection are remembered that were overtaken: as many as its `Sequence`
/// remembers numbers.
const OVERTAKEN_MAX: usize = 128;

/// What is known of a connection whose messages have numbers.
#[derive(Debug, Clone)]
struct Numbered {
    sequence: Sequence,
    /// Messages that were overtaken, which may still come; the oldest first.
    overtaken: VecDeque<Settled>,
}

/// A message that is not awaited in its turn any more.
#[derive(Debug, Clone, Copy)]
struct Settled {
    number: u64,
    pending: Pending,
}

/// Which message has come, of those with numbers.
struct Found {
    /// Nothing, where it is not awaited.
    settled: Option<Settled>,
    /// What it says.
    due: Nanos,
    /// How many others a closed loop has to send for it.
    vacant: u64,
}

/// What paces the sending.
#[derive(Debug)]
pub enum Pace {
    /// So many messages are in flight on each connection: a closed loop.
    Window(usize),
    /// Whatever was answered, messages go out when they are due: an open loop.
    Open(Arrivals),
}

/// What is known of one connection.
#[derive(Debug, Clone, Default)]
struct Conversation {
    in_flight: InFlight,
    /// Messages sent; the next has this number.
    sent: u64,
    /// Messages that came back, or were found missing.
    settled: u64,
}

/// The workload; `echo` and `bots` differ in their pace only.
#[derive(Debug)]
pub struct Exchange {
    pace: Pace,
    messages: Messages,
    conversations: Vec<Conversation>,
    /// By connection, where messages have numbers.
    numbered: Vec<Numbered>,
    pending_count: usize,
    /// What comes from here on comes too late.
    has_given_up: bool,
    timetable: Timetable,
    recorded: Recorded,
}

impl Exchange {
    /// For so many connections.
    pub fn new(pace: Pace, messages: Messages, connections: usize) -> Self {
        let numbered = if messages.is_stamped() {
            connections
        } else {
            0
        };
        Self {
            pace,
            messages,
            conversations: vec![Conversation::default(); connections],
            numbered: vec![Numbered::default(); numbered],
            pending_count: 0,
            has_given_up: false,
            timetable: Timetable::default(),
            recorded: Recorded::default(),
        }
    }

    #[inline]
    fn send(
        &mut self,
        connection: usize,
        due: Nanos,
        outbox: &mut Outbox,
        now: Nanos,
    ) -> Result<(), RecordError> {
        let conversation = &mut self.conversations[connection];
        let number = conversation.sent;
        self.messages.send(Stamp { number, due }, outbox);
        conversation.in_flight.push(Pending { due, sent: now });
        conversation.sent += 1;
        self.pending_count += 1;
        self.recorded.sent_in_all += 1;
        if self.timetable.window.contains(&due) {
            self.recorded.sent += 1;
            if let Pace::Open(_) = self.pace {
                self.recorded.latencies.recorder.record_sent(due, now)?;
            }
        }
        Ok(())
    }

    /// Takes the oldest message of a connection that was not answered.
    #[inline]
    fn settle(&mut self, connection: usize) -> Option<Settled> {
        let conversation = &mut self.conversations[connection];
        let pending = conversation.in_flight.pop()?;
        let number = conversation.settled;
        conversation.settled += 1;
        self.pending_count -= 1;
        Some(Settled { number, pending })
    }

    /// Sets messages aside that were overtaken; returns how many of them were due in the window.
    fn overtake(&mut self, connection: usize, missing: u64) -> u64 {
        let mut counted = 0;
        for _ in 0..missing {
            let Some(settled) = self.settle(connection) else {
                break;
            };
            counted += u64::from(self.timetable.window.contains(&settled.pending.due));
            let overtaken = &mut self.numbered[connection].overtaken;
            if overtaken.len() == OVERTAKEN_MAX {
                overtaken.pop_front();
            } else {
                self.pending_count += 1;
            }
            overtaken.push_back(settled);
        }
        counted
    }

    /// Takes out a message that was overtaken, and comes.
    fn take_overtaken(&mut self, connection: usize, number: u64) -> Option<Settled> {
        let overtaken = &mut self.numbered[connection].overtaken;
        let at = overtaken.iter().position(|one| one.number == number)?;
        self.pending_count -= 1;
        overtaken.remove(at)
    }

    /// Judges the number of a message; `None` where it answers nothing that is awaited.
    fn find(&mut self, connection: usize, message: Message<'_>, now: Nanos) -> Option<Found> {
        let sent = self.conversations[connection].sent;
        let stamp = self.messages.read_stamp(message);
        let Some(stamp) = stamp.filter(|stamp| stamp.number < sent) else {
            self.recorded.record_wrong(message, now);
            return None;
        };
        let mut verdict = self.numbered[connection].sequence.check(stamp.number);
        let (settled, vacant) = match &mut verdict {
            Verdict::InOrder => (self.settle(connection), 1),
            Verdict::Gap { missing } => {
                let vacant = *missing + 1;
                *missing = self.overtake(connection, *missing);
                (self.settle(connection), vacant)
            }
            Verdict::Disorder => (self.take_overtaken(connection, stamp.number), 0),
            Verdict::Repeat | Verdict::Stray => (None, 0),
        };
        let due = settled.map_or(stamp.due, |settled| settled.pending.due);
        if self.timetable.window.contains(&due) {
            self.recorded.sequence.count(verdict);
        }
        let is_awaited = settled.is_some() || vacant > 0;
        is_awaited.then_some(Found {
            settled,
            due: stamp.due,
            vacant,
        })
    }
}

impl Default for Numbered {
    fn default() -> Self {
        Self {
            sequence: Sequence::starting_at(0),
            overtaken: VecDeque::new(),
        }
    }
}

impl Workload for Exchange {
    fn begin(&mut self, timetable: &Timetable) {
        self.timetable = timetable.clone();
    }

    fn started(
        &mut self,
        connection: usize,
        outbox: &mut Outbox,
        now: Nanos,
    ) -> Result<(), RecordError> {
        if let Pace::Window(messages) = self.pace {
            for _ in 0..messages {
                self.send(connection, now, outbox, now)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn received(
        &mut self,
        connection: usize,
        message: Message<'_>,
        outbox: &mut Outbox,
        now: Nanos,
    ) -> Result<(), RecordError> {
        self.recorded.count(1, message.payload.len() as u64, now);
        let (mut vacant, mut due) = (1, None);
        let settled = if self.messages.is_stamped() {
            let Some(found) = self.find(connection, message, now) else {
                return Ok(());
            };
            (vacant, due) = (found.vacant, Some(found.due));
            found.settled
        } else {
            self.settle(connection)
        };
        let Some(Settled { number, pending }) = settled else {
            if self.has_given_up {
                return Ok(());
            }
            let failures = &mut self.recorded.failures;
            failures.record(FailureKind::Mismatch, now, || {
                format!("{} came, and nothing was sent for it", message.describe())
            });
            return Ok(());
        };
        let is_due_right = due.is_none_or(|due| due == pending.due);
        if !is_due_right || !self.messages.is_right(number, message) {
            self.recorded.record_wrong(message, now);
        } else if self.timetable.window.contains(&pending.due) {
            self.recorded.echoed += 1;
            let latencies = &mut self.recorded.latencies;
            latencies
                .recorder
                .record_echoed(pending.due, pending.sent, now)?;
        }
        if matches!(self.pace, Pace::Window(_)) && now < self.timetable.window.end {
            for _ in 0..vacant {
                self.send(connection, now, outbox, now)?;
            }
        }
        Ok(())
    }

    fn next_due(&self) -> Option<(Nanos, usize)> {
        let Pace::Open(arrivals) = &self.pace else {
            return None;
        };
        let due = self.timetable.started_at + arrivals.next_due()?;
        let connection = usize::try_from(arrivals.connection()).expect("one of ours");
        (due < self.timetable.window.end).then_some((due, connection))
    }

    fn send_due(&mut self, outbox: Option<&mut Outbox>, now: Nanos) -> Result<(), RecordError> {
        let Some((due, connection)) = self.next_due() else {
            return Ok(());
        };
        if let Pace::Open(arrivals) = &mut self.pace {
            arrivals.advance();
        }
        if let Some(outbox) = outbox {
            return self.send(connection, due, outbox, now);
        }
        self.recorded.unsent += u64::from(self.timetable.window.contains(&due));
        Ok(())
    }

    fn skip_due(&mut self) {
        let Some((due, _)) = self.next_due() else {
            return;
        };
        if let Pace::Open(arrivals) = &mut self.pace {
            arrivals.advance();
        }
        self.recorded.overdue += u64::from(self.timetable.window.contains(&due));
    }

    fn stop_sending(&mut self, now: Nanos) {
        self.timetable.window.end = now;
    }

    fn closed(&mut self, connection: usize) {
        let conversation = &mut self.conversations[connection];
        self.pending_count -= conversation.in_flight.len();
        conversation.in_flight = InFlight::default();
        if let Some(numbered) = self.numbered.get_mut(connection) {
            self.pending_count -= numbered.overtaken.len();
            numbered.overtaken.clear();
        }
    }

    fn give_up(&mut self, now: Nanos) {
        let window = &self.timetable.window;
        // A closed loop sends nothing more on a connection that waits since the warm-up.
        let is_closed_loop = matches!(self.pace, Pace::Window(_));
        for conversation in &mut self.conversations {
            while let Some(pending) = conversation.in_flight.pop() {
                if is_closed_loop || window.contains(&pending.due) {
                    let failures = &mut self.recorded.failures;
                    failures.record(FailureKind::Timeout, now, || {
                        "a message was not answered before the drain was over".to_owned()
                    });
                }
            }
        }
        for numbered in &mut self.numbered {
            numbered.overtaken.clear();
        }
        self.pending_count = 0;
        self.has_given_up = true;
    }

    fn recorded(&mut self) -> &mut Recorded {
        &mut self.recorded
    }

    fn into_recorded(self) -> Recorded {
        self.recorded
    }

    fn has_pending(&self) -> bool {
        self.pending_count > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_first_is_answered_first() {
        let mut in_flight = InFlight::default();
        for sent in 1..=3 {
            in_flight.push(Pending { due: 0, sent });
        }
        assert_eq!(in_flight.len(), 3);
        assert_eq!(in_flight.pop().unwrap().sent, 1);
        in_flight.push(Pending { due: 0, sent: 4 });
        let rest: Vec<_> = std::iter::from_fn(|| in_flight.pop())
            .map(|one| one.sent)
            .collect();
        assert_eq!(rest, [2, 3, 4]);
        assert_eq!(in_flight.len(), 0);
    }
}
