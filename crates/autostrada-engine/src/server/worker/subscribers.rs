//! A thread's part of a feed: its subscribers, and what is sent to them when.

use autostrada_measure::Nanos;
use autostrada_net::clock;

use super::Worker;
use crate::server::feed::{BACKLOG_BYTES_MAX, LAG_BYTES_MAX, RoundStatus};

/// Try again later: the close code of RFC 6455's registry for who is overrun.
const TRY_AGAIN_LATER: u16 = 1013;

/// How many messages that are late already are sent before connections have their turn.
const TICKS_PER_TURN: u32 = 64;

impl Worker {
    /// Adds a connection to the subscribers.
    pub(super) fn join(&mut self, index: usize) -> anyhow::Result<()> {
        let begins = self.join_round();
        if let (Some(feed), Some(connection)) = (&mut self.feed, &mut self.connections[index]) {
            *connection.position() = Some(position_after(feed.subscribers.len()));
            feed.subscribers.push(index);
        }
        self.wake_if(begins)
    }

    /// Counts a subscriber; returns whether the round begins by this.
    fn join_round(&mut self) -> bool {
        let Some(feed) = &mut self.feed else {
            return false;
        };
        let now = clock::now();
        loop {
            let (status, begins) = feed.rounds.join(feed.round, now);
            match status {
                RoundStatus::Over => feed.begin_anew(),
                RoundStatus::Waiting => return false,
                RoundStatus::Started(started_ns) => {
                    if feed.started_ns.is_some() && feed.is_empty() {
                        feed.next = feed.next.max(feed.pace.first_from(started_ns, now));
                        if feed.pace.due_at(started_ns, feed.next).is_none() {
                            feed.rounds.leave(feed.round, 1);
                            feed.begin_anew();
                            continue;
                        }
                    }
                    feed.started_ns = Some(started_ns);
                    self.is_due = true;
                    return begins;
                }
            }
        }
    }

    /// Wakes the other threads where a round begins.
    fn wake_if(&self, begins: bool) -> anyhow::Result<()> {
        let threads = if begins { self.shared.wakers.len() } else { 0 };
        for thread in (0..threads).filter(|&thread| thread != self.number) {
            self.wake(thread)?;
        }
        Ok(())
    }

    /// Removes a connection from the subscribers, if it is one and takes no more of the feed.
    pub(super) fn leave_if_over(&mut self, index: usize) {
        if let (Some(feed), Some(connection)) = (&mut self.feed, &mut self.connections[index])
            && !connection.is_served()
            && let Some(position) = connection.position().take()
        {
            feed.rounds.leave(feed.round, 1);
            feed.subscribers.swap_remove(position as usize);
            if let Some(&moved) = feed.subscribers.get(position as usize)
                && let Some(moved) = &mut self.connections[moved]
            {
                *moved.position() = Some(position);
            }
        }
    }

    /// Asks whether the round that this thread's subscribers wait for has begun.
    pub(super) fn look_up_round(&mut self) {
        if let Some(feed) = &mut self.feed
            && feed.started_ns.is_none()
            && !feed.is_empty()
            && let RoundStatus::Started(started_ns) = feed.rounds.status(feed.round)
        {
            feed.started_ns = Some(started_ns);
            self.is_due = true;
        }
    }

    /// Sends what is due.
    pub(super) fn publish(&mut self) -> anyhow::Result<()> {
        let Some(feed) = &self.feed else {
            return Ok(());
        };
        let Some(started_ns) = feed.started_ns.filter(|_| !feed.is_empty()) else {
            self.is_due = false;
            return Ok(());
        };
        if feed.pace.is_continuous() {
            return self.publish_many(started_ns);
        }
        if !self.is_due {
            return Ok(());
        }
        for _ in 0..TICKS_PER_TURN {
            let Some(feed) = self.feed.as_mut().filter(|feed| !feed.is_empty()) else {
                return Ok(());
            };
            let due_ns = feed.pace.next_at(started_ns, feed.next);
            if due_ns > clock::now() {
                self.is_due = false;
                return Ok(self.timer.set(due_ns)?);
            }
            if feed.pace.due_at(started_ns, feed.next).is_none() {
                self.finish_round();
                return Ok(());
            }
            feed.make_one(due_ns);
            self.deliver(BACKLOG_BYTES_MAX)?;
        }
        Ok(())
    }

    /// Sends as much as the slowest takes.
    fn publish_many(&mut self, started_ns: Nanos) -> anyhow::Result<()> {
        let Some(feed) = &mut self.feed else {
            return Ok(());
        };
        if feed.pace.is_over(started_ns, feed.next, clock::now()) {
            self.finish_round();
            return Ok(());
        }
        let connections = &self.connections;
        let lags = |&index: &usize| {
            let connection: Option<&_> = connections[index].as_ref();
            connection.is_some_and(|one| one.is_subscriber() && one.unsent_bytes() > LAG_BYTES_MAX)
        };
        feed.slow = feed.slow.filter(lags);
        if feed.slow.is_none() {
            feed.slow = feed.subscribers.iter().copied().find(lags);
        }
        self.is_due = feed.slow.is_none();
        if self.is_due {
            feed.make_many(clock::now);
            self.deliver(usize::MAX)?;
        } else if let Some(duration_ends_ns) = feed.pace.ends_at(started_ns) {
            self.timer.set(duration_ends_ns)?;
        }
        Ok(())
    }

    /// Hands the messages in hand to all who listen.
    fn deliver(&mut self, backlog_bytes_max: usize) -> anyhow::Result<()> {
        let mut broken = Vec::new();
        let Some(feed) = &mut self.feed else {
            return Ok(());
        };
        for &index in &feed.subscribers {
            let Some(connection) = &mut self.connections[index] else {
                continue;
            };
            match connection.deliver(&mut feed.batch, &mut self.resources) {
                Ok(true) => {}
                Ok(false) => self.runnable.push(index),
                Err(error) => broken.push((index, error)),
            }
            let count = connection.take_new();
            if count.messages > 0 {
                self.shared.counters.count(self.number, count);
            }
            if connection.unsent_bytes() > backlog_bytes_max {
                crate::log(&format!(
                    "a listener does not take the feed: {} bytes are left for it; it is closed",
                    connection.unsent_bytes()
                ));
                connection.leave_at_once(TRY_AGAIN_LATER);
                self.close_deadlines
                    .push(clock::now(), index, connection.serial());
                self.runnable.push(index);
            }
        }
        for (index, error) in broken {
            if let Some(connection) = &mut self.connections[index] {
                let progress = connection.break_off(error, &self.resources);
                self.conclude(index, progress)?;
            }
        }
        Ok(())
    }

    /// Closes the connections of all subscribers, and waits for the next round.
    fn finish_round(&mut self) {
        self.is_due = false;
        let Some(feed) = &mut self.feed else {
            return;
        };
        let now = clock::now();
        feed.rounds.leave(feed.round, feed.subscribers.len());
        for &index in &feed.subscribers {
            if let Some(connection) = &mut self.connections[index] {
                *connection.position() = None;
                if !connection.finish_feed(&mut self.resources) {
                    connection.leave();
                    self.close_deadlines.push(now, index, connection.serial());
                }
                self.runnable.push(index);
            }
        }
        feed.begin_anew();
    }
}

fn position_after(subscribers: usize) -> u32 {
    u32::try_from(subscribers).expect("a thread has fewer descriptors than this")
}
