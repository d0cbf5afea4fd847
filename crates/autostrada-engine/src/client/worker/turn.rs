//! One turn of a thread's event loop: send due messages, wait for events, process received bytes.

use std::io;
use std::time::Duration;

use anyhow::Context;
use autostrada_measure::{FailureKind, Nanos};
use autostrada_net::{Events, Token, clock, prefetch};

use super::accepting::LISTENER;
use super::lingering_close::LINGERING_CLOSE;
use super::{READ_BYTES, TIMER, Worker};
use crate::client::connection::{Received, connection_of};
use crate::client::end::End;
use crate::client::workload::Workload;

/// Maximum number of bytes that one connection reads in a turn.
pub(super) const TURN_BYTES: usize = 16 * READ_BYTES;

/// Maximum number of messages sent before events are processed.
const SENT_PER_TURN_MAX: u32 = 1024;

/// Number of sockets read from before their answers, and the messages that are due, are sent:
/// answers that arrive together on thousands of connections would delay them by milliseconds.
///
/// All are read from first, because the kernel is faster at doing the same again.
pub(super) const EVENTS_PER_SEND: usize = 32;

/// Minimum number of connections that are read from, or written to, by one system call.
const BATCH_MIN: usize = 4;

/// How many events ahead the state of a connection is fetched into the cache.
pub(super) const EVENTS_AHEAD: usize = 4;

/// Maximum time of a turn that only polls, unless the thread is preempted.
const SPUN_TURN_NS_MAX: Nanos = 20_000;

/// Time after the end of the window in which its last messages are still sent.
const LAST_SENT_NS: Nanos = 20_000_000;

/// Time after the end of the window in which messages that were not sent are counted as overdue.
const LAST_COUNTED_NS: Nanos = 200_000_000;

/// Maximum time until the thread checks for an interruption.
const INTERRUPTION_NS: Nanos = 500_000_000;

impl<W: Workload> Worker<'_, W> {
    /// Sends due messages, waits for an event or the next due instant, and processes events.
    ///
    /// Returns at `until` at the latest, unless processing takes longer.
    pub(super) fn turn(&mut self, until: Nanos) -> anyhow::Result<()> {
        let turned_at = clock::now();
        self.follow_pace(turned_at);
        let next_at = [
            self.send_due()?,
            self.reconnect_due(turned_at),
            self.fail_unopened(turned_at),
            self.read_slowly(turned_at),
            self.beat_due(turned_at),
            self.ping_due(turned_at),
            self.lingering_close.next_at(),
            Some(self.config.seconds.ends_at()),
        ];
        let wakes_at = next_at
            .into_iter()
            .flatten()
            .fold(until, Nanos::min)
            .min(turned_at + INTERRUPTION_NS);
        let now = clock::now();
        let polls_from = self.busy_poll.polls_from(now, wakes_at);
        let may_wait = now < polls_from && self.unread.is_empty();
        let mut events = std::mem::replace(&mut self.events, Events::with_capacity(0));
        let polled = if may_wait {
            self.wait(&mut events, polls_from, wakes_at)
        } else {
            self.poll.poll(&mut events, Some(Duration::ZERO))
        };
        self.continue_reading();
        self.process_events(&events)?;
        if !self.lingering_close.is_empty() {
            self.lingering_close
                .discard_received(&mut self.shared.buffer, clock::now());
        }
        if !may_wait && events.is_empty() && self.turn_work == 0 {
            let turn_ns = clock::now() - turned_at;
            self.busy_poll.spun_ns += turn_ns.min(SPUN_TURN_NS_MAX);
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

    /// Changes the instants at which messages are due if the user has changed the rate.
    #[inline]
    #[expect(clippy::float_cmp, reason = "it is the same factor unless it was set")]
    fn follow_pace(&mut self, now: Nanos) {
        let factor = self.config.pace.factor();
        if factor != self.factor {
            self.factor = factor;
            self.workload.set_pace(factor, now);
        }
    }

    /// Reads from the connections that reached their read limit in the last turn.
    fn continue_reading(&mut self) {
        for index in std::mem::take(&mut self.unread) {
            let Some(connection) = &mut self.connections[index] else {
                continue;
            };
            // The flag is not set if another connection has replaced this one.
            if connection.wire().set_has_more(false) {
                let exchanged = self.advance_and_receive(index);
                self.unflushed.push(index);
                self.conclude(index, exchanged);
                self.turn_work += 1;
            }
        }
        self.flush_all();
    }

    /// Schedules a connection to be read again in the next turn.
    fn read_later(&mut self, index: usize) {
        if let Some(connection) = &mut self.connections[index]
            && !connection.is_slow
            && !connection.wire().set_has_more(true)
        {
            self.unread.push(index);
        }
    }

    fn process_events(&mut self, events: &Events) -> anyhow::Result<()> {
        let (mut unread, mut ahead) = (events.iter(), events.iter().skip(EVENTS_AHEAD));
        let is_batched = self.batch.is_available() && unread.clone().nth(BATCH_MIN - 1).is_some();
        let mut done = 0;
        for (position, event) in events.iter().enumerate() {
            if position % EVENTS_PER_SEND == 0 {
                if position > 0 {
                    self.flush_all();
                    self.send_due()?;
                }
                self.batch.clear();
                done = 0;
                if is_batched {
                    self.read_batch(unread.clone().take(EVENTS_PER_SEND));
                    unread.nth(EVENTS_PER_SEND - 1);
                }
            }
            if let Some(event) = ahead.next() {
                self.prefetch(event.token());
            }
            if matches!(event.token(), TIMER | LINGERING_CLOSE) {
                continue;
            }
            if event.token() == LISTENER {
                self.accept()?;
                continue;
            }
            let index = connection_of(event.token());
            let Some(Some(connection)) = self.connections.get_mut(index) else {
                continue;
            };
            connection.note(event);
            let is_read = self.batch.done(done).is_some_and(|done| done.key == index);
            let exchanged = if is_read {
                done += 1;
                self.receive_done(index, done - 1)
            } else {
                self.advance_and_receive(index)
            };
            self.unflushed.push(index);
            self.conclude(index, exchanged);
        }
        self.flush_all();
        Ok(())
    }

    /// Fetches the state of a connection into the cache, which the kernel shares.
    #[inline]
    pub(super) fn prefetch(&self, token: Token) {
        let index = connection_of(token);
        if let Some(connection) = self.connections.get(index) {
            prefetch(connection);
            self.workload.prefetch(index);
        }
    }

    /// Sends on the connections that were read from.
    fn flush_all(&mut self) {
        let is_batched = self.batch.is_available() && !self.shared.writes_single_frames;
        if is_batched && self.unflushed.len() >= BATCH_MIN {
            self.write_batch();
        }
        for position in 0..self.unflushed.len() {
            let index = self.unflushed[position];
            if let Some(connection) = &mut self.connections[index] {
                let flushed = connection.flush(index, &mut self.shared);
                self.conclude(index, flushed);
            }
        }
        self.unflushed.clear();
    }

    /// Sends messages that are due, up to a limit; returns the instant at which the next message is
    /// due, or `None` if there is none.
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
            outbox.borrow_buffer(&mut self.shared.spares);
            let waiting_bytes = outbox.waiting_bytes();
            self.workload.send_due(Some(outbox), now)?;
            outbox.count_own_bytes(waiting_bytes);
            let flushed = connection.flush(index, &mut self.shared);
            self.conclude(index, flushed);
            self.turn_work += 1;
            now = clock::now();
        }
        Ok(None)
    }

    /// Sends the messages that were due at the very end of the window, so that they are late and
    /// not missing. Messages that cannot be sent within 20 ms are overdue.
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

    /// Continues connecting, and reads.
    fn advance_and_receive(&mut self, index: usize) -> Result<(), End> {
        let Some(connection) = &mut self.connections[index] else {
            return Ok(());
        };
        connection.outbox.borrow_buffer(&mut self.shared.spares);
        if !connection.is_ready() && connection.advance(index, &mut self.shared)? {
            self.open_one(index, clock::now())?;
        }
        self.receive_unless_slow(index)
    }

    fn receive_unless_slow(&mut self, index: usize) -> Result<(), End> {
        let Some(connection) = &mut self.connections[index] else {
            return Ok(());
        };
        if connection.is_slow {
            if connection.wire().has_peer_ended() {
                let text = "the peer ended a slow connection".to_owned();
                return Err(End::Failed(FailureKind::Close, text));
            }
            return Ok(());
        }
        self.receive(index, TURN_BYTES)
    }

    /// Reads up to `bytes_max` bytes from a connection and processes them.
    pub(super) fn receive(&mut self, index: usize, bytes_max: usize) -> Result<(), End> {
        while let Some(connection) = &mut self.connections[index] {
            if !connection.is_ready() {
                return Ok(());
            }
            let received =
                connection.receive(index, bytes_max, &mut self.workload, &mut self.shared)?;
            match received {
                Received::All => return Ok(()),
                Received::More => {
                    self.read_later(index);
                    return Ok(());
                }
                Received::Opened(at) => self.open_one(index, at)?,
            }
        }
        Ok(())
    }
}
