//! One turn of a thread's loop: send what is due, wait, take in what has come.

use std::io;
use std::time::Duration;

use anyhow::Context;
use autostrada_measure::{FailureKind, Nanos};
use autostrada_net::{Events, clock};

use super::{READ_BYTES, TIMER, Worker};
use crate::client::connection::{Connection, Lane, Received};
use crate::client::end::End;
use crate::client::workload::Workload;

/// So much one connection reads before the others have their turn.
const TURN_BYTES: usize = 16 * READ_BYTES;

/// Closer than this a due message is waited for by asking again, not by sleeping.
const TOO_SOON_TO_SLEEP_NS: Nanos = 20_000;

/// So many messages are sent before what has come is taken in.
const SENT_PER_TURN_MAX: usize = 1024;

/// So long after its end a window's last messages are sent, and so long those left are counted.
const LAST_SENT_NS: Nanos = 20_000_000;
const LAST_COUNTED_NS: Nanos = 200_000_000;

/// How long an interruption may go unnoticed.
const INTERRUPTION_NS: Nanos = 500_000_000;

impl<W: Workload> Worker<'_, W> {
    /// Sends what is due, waits until something happens or is due, and takes it in.
    pub(super) fn turn(&mut self, until: Nanos) -> anyhow::Result<()> {
        let turned_at = clock::now();
        let due = self.send_due()?;
        let next_at = [
            due,
            self.begin_due(turned_at),
            self.read_slowly(turned_at)?,
            Some(self.seconds.ends_at()),
        ];
        let wakes_at = next_at
            .into_iter()
            .flatten()
            .fold(until, Nanos::min)
            .min(turned_at + INTERRUPTION_NS);
        let left_ns = wakes_at.saturating_sub(clock::now());
        let timeout = if left_ns < TOO_SOON_TO_SLEEP_NS || !self.unread.is_empty() {
            Some(Duration::ZERO)
        } else {
            self.timer.set(wakes_at)?;
            None
        };
        let mut events = std::mem::replace(&mut self.events, Events::with_capacity(0));
        let polled = self.poll.poll(&mut events, timeout);
        let read_on = self.read_on();
        let taken_in = self.take_in(&events);
        if timeout.is_some() && events.is_empty() && self.turn_work == 0 {
            self.spun_ns += clock::now() - turned_at;
        }
        self.turn_work = 0;
        self.events = events;
        self.tell_seconds();
        match polled {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                Err(error).context("cannot poll")
            }
            _ => read_on.and(taken_in),
        }
    }

    /// Lets connections read on whose turn was over.
    fn read_on(&mut self) -> anyhow::Result<()> {
        for (index, has_peer_ended) in std::mem::take(&mut self.unread) {
            let exchanged = self.exchange(index, Lane::Main, has_peer_ended);
            self.conclude(index, exchanged)?;
            self.turn_work += 1;
        }
        Ok(())
    }

    fn take_in(&mut self, events: &Events) -> anyhow::Result<()> {
        for event in events {
            if event.token() == TIMER {
                continue;
            }
            let (index, lane) = Lane::of(event.token());
            let Some(Some(connection)) = self.connections.get_mut(index) else {
                continue;
            };
            if event.is_writable() {
                connection.set_writable(lane);
            }
            let has_peer_ended = event.is_read_closed() || event.is_error();
            let exchanged = self.exchange(index, lane, has_peer_ended);
            self.conclude(index, exchanged)?;
        }
        Ok(())
    }

    /// Sends what is due by now, for one turn; returns when the next message is due.
    fn send_due(&mut self) -> anyhow::Result<Option<Nanos>> {
        let mut now = clock::now();
        for _ in 0..SENT_PER_TURN_MAX {
            let Some((due, index)) = self.workload.next_due() else {
                return Ok(None);
            };
            if due > now {
                now = clock::now();
                if due > now {
                    return Ok(Some(due));
                }
            }
            let open = self.connections[index]
                .as_mut()
                .filter(|connection| connection.is_open());
            let Some(connection) = open else {
                self.workload.send_due(None, now)?;
                continue;
            };
            connection.outbox.borrow_buffer(&mut self.shared.spare);
            self.workload.send_due(Some(&mut connection.outbox), now)?;
            let flushed = connection.flush(&mut self.shared);
            self.conclude(index, flushed)?;
            self.turn_work += 1;
            now = clock::now();
        }
        Ok(Some(now))
    }

    /// Sends what was due in the window's last moment: it is late, not left out. Where there is
    /// more than can be sent in a moment, the rest is overdue.
    pub(super) fn send_last(&mut self) -> anyhow::Result<()> {
        let ended_at = clock::now();
        while self.workload.next_due().is_some() {
            let now = clock::now();
            if now < ended_at + LAST_SENT_NS {
                self.send_due()?;
            } else if now < ended_at + LAST_COUNTED_NS {
                for _ in 0..SENT_PER_TURN_MAX {
                    self.workload.skip_due();
                }
            } else {
                break;
            }
        }
        Ok(())
    }

    /// Takes in what one connection has, and sends what there is room for.
    fn exchange(&mut self, index: usize, lane: Lane, has_peer_ended: bool) -> Result<(), End> {
        let Some(connection) = &mut self.connections[index] else {
            return Ok(());
        };
        connection.outbox.borrow_buffer(&mut self.shared.spare);
        if lane == Lane::Polls {
            self.exchange_polls(index)?;
        } else {
            if !connection.is_ready() && connection.advance(&mut self.shared)? {
                self.open_one(index, clock::now())?;
            }
            self.receive_unless_slow(index, has_peer_ended)?;
        }
        match &mut self.connections[index] {
            Some(connection) => connection.flush(&mut self.shared),
            None => Ok(()),
        }
    }

    fn receive_unless_slow(&mut self, index: usize, has_peer_ended: bool) -> Result<(), End> {
        let is_slow = |connection: &Connection| connection.is_slow();
        if !self.connections[index].as_ref().is_some_and(is_slow) {
            return self.receive(index, has_peer_ended, TURN_BYTES);
        }
        if has_peer_ended {
            let text = "the peer ended a connection that reads slowly".to_owned();
            return Err(End::Failed(FailureKind::Close, text));
        }
        Ok(())
    }

    pub(super) fn receive(
        &mut self,
        index: usize,
        has_peer_ended: bool,
        bytes_max: usize,
    ) -> Result<(), End> {
        while let Some(connection) = &mut self.connections[index] {
            if !connection.is_ready() {
                return Ok(());
            }
            let received = connection.receive(
                index,
                has_peer_ended,
                bytes_max,
                &mut self.workload,
                &mut self.shared,
            )?;
            match received {
                Received::All => return Ok(()),
                Received::More => {
                    if !connection.is_slow() {
                        self.unread.push((index, has_peer_ended));
                    }
                    return Ok(());
                }
                Received::Opened(at) => self.open_one(index, at)?,
            }
        }
        Ok(())
    }

    fn exchange_polls(&mut self, index: usize) -> Result<(), End> {
        while let Some(connection) = &mut self.connections[index] {
            let received = connection.receive_polls(index, &mut self.workload, &mut self.shared)?;
            match received {
                Received::All | Received::More => return Ok(()),
                Received::Opened(at) => self.open_one(index, at)?,
            }
            if let Some(connection) = &mut self.connections[index] {
                connection.flush(&mut self.shared)?;
            }
        }
        Ok(())
    }
}
