//! One turn of a thread's loop: send what is due, wait, take in what has come.

use std::io;
use std::time::Duration;

use anyhow::Context;
use autostrada_measure::{FailureKind, Nanos};
use autostrada_net::{Events, clock};

use super::lingering_close::LINGERING_CLOSE;
use super::{READ_BYTES, TIMER, Worker};
use crate::client::connection::{Lane, Received};
use crate::client::end::End;
use crate::client::workload::Workload;

/// So much one connection reads before the others have their turn.
const TURN_BYTES: usize = 16 * READ_BYTES;

/// So many messages are sent before what has come is taken in.
const SENT_PER_TURN_MAX: u32 = 1024;

/// So many sockets are taken in before it is looked again what is due: answers that come together
/// from thousands of connections would keep it waiting for milliseconds.
const TAKEN_IN_PER_LOOK: usize = 32;

/// Closer than this a due message is waited for by asking again, not by sleeping.
const TOO_SOON_TO_SLEEP_NS: Nanos = 20_000;

/// So long after its end a window's last messages are sent, and so long those left are counted.
const LAST_SENT_NS: Nanos = 20_000_000;
const LAST_COUNTED_NS: Nanos = 200_000_000;

/// How long an interruption may go unnoticed.
const INTERRUPTION_NS: Nanos = 500_000_000;

impl<W: Workload> Worker<'_, W> {
    /// Sends what is due, waits until something happens or is due, and takes it in.
    pub(super) fn turn(&mut self, until: Nanos) -> anyhow::Result<()> {
        let turned_at = clock::now();
        let next_at = [
            self.send_due()?,
            self.begin_due(turned_at),
            self.read_slowly(turned_at),
            self.lingering_close.next_at(),
            Some(self.seconds.ends_at()),
        ];
        let wakes_at = next_at
            .into_iter()
            .flatten()
            .fold(until, Nanos::min)
            .min(turned_at + INTERRUPTION_NS);
        let now = clock::now();
        let is_soon = wakes_at < now + TOO_SOON_TO_SLEEP_NS;
        let timeout = if is_soon || !self.unread.is_empty() {
            Some(Duration::ZERO)
        } else {
            self.arm(wakes_at, now)?;
            None
        };
        let mut events = std::mem::replace(&mut self.events, Events::with_capacity(0));
        let polled = self.poll.poll(&mut events, timeout);
        self.read_on();
        self.take_in(&events)?;
        if !self.lingering_close.is_empty() {
            self.lingering_close
                .read_on(&mut self.shared.buffer, clock::now());
        }
        if timeout.is_some() && events.is_empty() && self.turn_work == 0 {
            self.spun_ns += clock::now() - turned_at;
        }
        self.turn_work = 0;
        self.events = events;
        self.report_seconds();
        match polled {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                Err(error).context("cannot poll")
            }
            _ => Ok(()),
        }
    }

    /// Has the timer wake the thread at an instant, or earlier: a system call less for each turn of
    /// a closed loop, whose next instant is always a little further off.
    fn arm(&mut self, at: Nanos, now: Nanos) -> io::Result<()> {
        if self.armed_at > now && self.armed_at <= at {
            return Ok(());
        }
        self.armed_at = at;
        self.timer.set(at)
    }

    /// Lets connections read on whose turn was over.
    fn read_on(&mut self) {
        for (index, lane) in std::mem::take(&mut self.unread) {
            let Some(connection) = &mut self.connections[index] else {
                continue;
            };
            // Another connection may have taken its place.
            if connection.wire(lane).set_more(false) {
                let exchanged = self.exchange(index, lane);
                self.conclude(index, exchanged);
                self.turn_work += 1;
            }
        }
    }

    /// Has a connection read on in the next turn.
    fn read_later(&mut self, index: usize, lane: Lane) {
        if let Some(connection) = &mut self.connections[index]
            && !(connection.is_slow() && lane == connection.message_lane())
            && !connection.wire(lane).set_more(true)
        {
            self.unread.push((index, lane));
        }
    }

    fn take_in(&mut self, events: &Events) -> anyhow::Result<()> {
        for (place, event) in events.iter().enumerate() {
            if place % TAKEN_IN_PER_LOOK == TAKEN_IN_PER_LOOK - 1 {
                self.send_due()?;
            }
            if matches!(event.token(), TIMER | LINGERING_CLOSE) {
                continue;
            }
            let (index, lane) = Lane::of(event.token());
            let Some(Some(connection)) = self.connections.get_mut(index) else {
                continue;
            };
            let has_peer_ended = event.is_read_closed() || event.is_error();
            connection
                .wire(lane)
                .note(event.is_writable(), has_peer_ended);
            let exchanged = self.exchange(index, lane);
            self.conclude(index, exchanged);
        }
        Ok(())
    }

    /// Sends what is due by now, or part of it; returns when the next message is due.
    fn send_due(&mut self) -> anyhow::Result<Option<Nanos>> {
        if self.has_stopped {
            return Ok(None);
        }
        let mut now = clock::now();
        for sent in 0.. {
            let Some((due, index)) = self.workload.next_due() else {
                break;
            };
            if sent == SENT_PER_TURN_MAX {
                return Ok(Some(due));
            }
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
            let outbox = &mut connection.outbox;
            outbox.borrow_buffer(&mut self.shared.spare);
            let waiting_bytes = outbox.waiting_bytes();
            self.workload.send_due(Some(outbox), now)?;
            outbox.own_beyond(waiting_bytes);
            let flushed = connection.flush(index, &mut self.shared);
            self.conclude(index, flushed);
            self.turn_work += 1;
            now = clock::now();
        }
        Ok(None)
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
        self.has_stopped = true;
        Ok(())
    }

    /// Takes in what one connection has, and sends what there is room for.
    fn exchange(&mut self, index: usize, lane: Lane) -> Result<(), End> {
        let Some(connection) = &mut self.connections[index] else {
            return Ok(());
        };
        connection.outbox.borrow_buffer(&mut self.shared.spare);
        if lane == Lane::Main && !connection.is_ready() && connection.advance(&mut self.shared)? {
            self.open_one(index, clock::now())?;
        }
        self.receive_unless_slow(index, lane)?;
        match &mut self.connections[index] {
            Some(connection) => connection.flush(index, &mut self.shared),
            None => Ok(()),
        }
    }

    fn receive_unless_slow(&mut self, index: usize, lane: Lane) -> Result<(), End> {
        let Some(connection) = &mut self.connections[index] else {
            return Ok(());
        };
        if connection.is_slow() && lane == connection.message_lane() {
            if connection.wire(lane).has_peer_ended() {
                let text = "the peer ended a connection that reads slowly".to_owned();
                return Err(End::Failed(FailureKind::Close, text));
            }
            return Ok(());
        }
        self.receive(index, lane, TURN_BYTES)
    }

    /// Takes in what has come on one socket, up to `bytes_max`.
    pub(super) fn receive(
        &mut self,
        index: usize,
        lane: Lane,
        bytes_max: usize,
    ) -> Result<(), End> {
        match lane {
            Lane::Main => self.receive_main(index, bytes_max),
            Lane::Polls => self.receive_polls(index, bytes_max),
        }
    }

    fn receive_main(&mut self, index: usize, bytes_max: usize) -> Result<(), End> {
        while let Some(connection) = &mut self.connections[index] {
            if !connection.is_ready() {
                return Ok(());
            }
            let received =
                connection.receive(index, bytes_max, &mut self.workload, &mut self.shared)?;
            match received {
                Received::All => return Ok(()),
                Received::More => {
                    self.read_later(index, Lane::Main);
                    return Ok(());
                }
                Received::Opened(at) => self.open_one(index, at)?,
            }
        }
        Ok(())
    }

    fn receive_polls(&mut self, index: usize, bytes_max: usize) -> Result<(), End> {
        while let Some(connection) = &mut self.connections[index] {
            let received =
                connection.receive_polls(index, bytes_max, &mut self.workload, &mut self.shared)?;
            match received {
                Received::All => return Ok(()),
                Received::More => {
                    self.read_later(index, Lane::Polls);
                    return Ok(());
                }
                Received::Opened(at) => self.open_one(index, at)?,
            }
        }
        Ok(())
    }
}
