//! Echo and bots: each connection sends messages and gets them back.

use std::collections::VecDeque;

use autostrada_measure::{Arrivals, FailureKind, Failures, Nanos, RecordError, Recorder};
use autostrada_proto::frame::{Opcode, encode_frame};

use super::outbox::Outbox;
use super::start::Timetable;
use super::workload::{Counts, Message, Workload};

/// Frames are masked with one key for the whole trial: masking guards proxies from
/// attackers (RFC 6455, section 10.3), and a load generator is none.
const MASKING_KEY: [u8; 4] = [0x5a, 0x17, 0xc3, 0x2e];

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

/// What paces the sending.
#[derive(Debug)]
pub enum Pace {
    /// So many messages are in flight on each connection: a closed loop.
    Window(usize),
    /// Whatever was answered, messages go out when they are due: an open loop.
    Open(Arrivals),
}

/// What a thread has recorded.
#[derive(Debug, Default)]
pub struct Exchanged {
    /// Latencies of messages that were due within the window.
    pub recorder: Recorder,
    /// Messages that were sent, and due within the window.
    pub sent: u64,
    /// Of these, those that came back as they should.
    pub echoed: u64,
    /// Messages that were due within the window on connections that were not open.
    pub unsent: u64,
    /// Echoes of another content, and echoes of nothing.
    pub failures: Failures,
    /// Whatever came, whenever it was due.
    counts: Counts,
}

impl Exchanged {
    /// Adds what another thread has recorded.
    pub fn merge(&mut self, other: &Self) {
        self.recorder.merge(&other.recorder);
        self.sent += other.sent;
        self.echoed += other.echoed;
        self.unsent += other.unsent;
        self.failures.merge(&other.failures);
    }
}

/// The workload; `echo` and `bots` differ in their pace only.
#[derive(Debug)]
pub struct Exchange {
    pace: Pace,
    opcode: Opcode,
    payload: Vec<u8>,
    frame: Vec<u8>,
    pending: Vec<InFlight>,
    pending_count: usize,
    timetable: Timetable,
    /// What it has recorded.
    pub exchanged: Exchanged,
}

impl Exchange {
    /// Plans text messages of one content, for so many connections.
    pub fn new(pace: Pace, text: &str, connections: usize) -> Self {
        let payload = text.as_bytes().to_vec();
        let mut frame = Vec::new();
        encode_frame(Opcode::Text, Some(MASKING_KEY), &payload, &mut frame);
        Self {
            pace,
            opcode: Opcode::Text,
            payload,
            frame,
            pending: vec![InFlight::default(); connections],
            pending_count: 0,
            timetable: Timetable {
                started_at: 0,
                window: 0..0,
                drained_at: 0,
            },
            exchanged: Exchanged::default(),
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
        outbox.send_prepared(&self.frame);
        self.pending[connection].push(Pending { due, sent: now });
        self.pending_count += 1;
        if self.timetable.window.contains(&due) {
            self.exchanged.sent += 1;
            if let Pace::Open(_) = self.pace {
                self.exchanged.recorder.record_sent(due, now)?;
            }
        }
        Ok(())
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
        let exchanged = &mut self.exchanged;
        let Some(pending) = self.pending[connection].pop() else {
            exchanged.failures.record(FailureKind::Mismatch, now, || {
                format!("{} came, and nothing was sent for it", message.describe())
            });
            return Ok(());
        };
        self.pending_count -= 1;
        exchanged.counts.messages += 1;
        exchanged.counts.bytes += message.payload.len() as u64;
        if message.opcode != self.opcode || message.payload != self.payload {
            exchanged
                .failures
                .record(FailureKind::Mismatch, now, || message.describe());
        } else if self.timetable.window.contains(&pending.due) {
            exchanged.echoed += 1;
            exchanged
                .recorder
                .record_echoed(pending.due, pending.sent, now)?;
        }
        if matches!(self.pace, Pace::Window(_)) && now < self.timetable.window.end {
            self.send(connection, now, outbox, now)?;
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
        self.exchanged.unsent += u64::from(self.timetable.window.contains(&due));
        Ok(())
    }

    fn stop_sending(&mut self, now: Nanos) {
        self.timetable.window.end = now;
    }

    fn closed(&mut self, connection: usize) {
        self.pending_count -= self.pending[connection].len();
        self.pending[connection] = InFlight::default();
    }

    fn counts(&self) -> Counts {
        self.exchanged.counts
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
