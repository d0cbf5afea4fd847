//! A thread's part of a feed: its subscribers, and the schedule of their messages.

use autostrada_measure::Nanos;
use autostrada_net::clock;

use super::Worker;
use crate::server::feed::{BACKLOG_BYTES_MAX, LAG_BYTES_MAX, RoundStatus};

/// "Try Again Later", the close code of the IANA registry for an overloaded endpoint.
const TRY_AGAIN_LATER: u16 = 1013;

/// Maximum number of overdue messages that are sent before connections get their turn.
const TICKS_PER_TURN: u32 = 64;

impl Worker {
    /// Adds a connection to the subscribers.
    pub(super) fn subscribe(&mut self, index: usize) -> anyhow::Result<()> {
        let begins = self.join_round();
        if let (Some(feed), Some(connection)) = (&mut self.feed, &mut self.connections[index]) {
            connection.position = Some(position_after(feed.subscribers.len()));
            feed.subscribers.push(index);
        }
        self.wake_others_if(begins)
    }

    /// Adds a subscriber to the round; returns whether this subscriber started it.
    fn join_round(&mut self) -> bool {
        let Some(feed) = &mut self.feed else {
            return false;
        };
        let now = clock::now();
        loop {
            let (status, begins) = feed.rounds.join(feed.round, now);
            match status {
                RoundStatus::Over => feed.start_next_round(),
                RoundStatus::Waiting => return false,
                RoundStatus::Started(started_ns) => {
                    if feed.started_ns.is_some() && feed.is_empty() {
                        feed.next = feed.next.max(feed.schedule.first_from(started_ns, now));
                        if feed.schedule.due_at(started_ns, feed.next).is_none() {
                            feed.rounds.leave(feed.round, 1);
                            feed.start_next_round();
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

    /// Wakes the other threads if a round begins.
    fn wake_others_if(&self, begins: bool) -> anyhow::Result<()> {
        let threads = if begins { self.shared.wakers.len() } else { 0 };
        for thread in (0..threads).filter(|&thread| thread != self.number) {
            self.wake(thread)?;
        }
        Ok(())
    }

    /// Removes a connection from the subscribers if it has begun to close.
    pub(super) fn unsubscribe_if_closing(&mut self, index: usize) {
        if let (Some(feed), Some(connection)) = (&mut self.feed, &mut self.connections[index])
            && !connection.is_served()
            && let Some(position) = connection.position.take()
        {
            feed.rounds.leave(feed.round, 1);
            feed.subscribers.swap_remove(position as usize);
            if let Some(&moved) = feed.subscribers.get(position as usize)
                && let Some(moved) = &mut self.connections[moved]
            {
                moved.position = Some(position);
            }
        }
    }

    /// Checks whether the round for which this thread's subscribers wait has begun.
    pub(super) fn check_round(&mut self) {
        if let Some(feed) = &mut self.feed
            && feed.started_ns.is_none()
            && !feed.is_empty()
            && let RoundStatus::Started(started_ns) = feed.rounds.status(feed.round)
        {
            feed.started_ns = Some(started_ns);
            self.is_due = true;
        }
    }

    /// Sends the messages of the feed that are due.
    pub(super) fn publish(&mut self) -> anyhow::Result<()> {
        let Some(feed) = &self.feed else {
            return Ok(());
        };
        let Some(started_ns) = feed.started_ns.filter(|_| !feed.is_empty()) else {
            self.is_due = false;
            return Ok(());
        };
        if feed.schedule.is_continuous() {
            return self.publish_continuous(started_ns);
        }
        if !self.is_due {
            return Ok(());
        }
        for _ in 0..TICKS_PER_TURN {
            let Some(feed) = self.feed.as_mut().filter(|feed| !feed.is_empty()) else {
                return Ok(());
            };
            let due_ns = feed.schedule.next_at(started_ns, feed.next);
            if due_ns > clock::now() {
                self.is_due = false;
                return Ok(self.timer.set(due_ns)?);
            }
            if feed.schedule.due_at(started_ns, feed.next).is_none() {
                self.finish_round();
                return Ok(());
            }
            feed.fill_with_next(due_ns);
            self.deliver(BACKLOG_BYTES_MAX)?;
        }
        Ok(())
    }

    /// Sends a batch of a feed without an interval, unless a subscriber lags.
    fn publish_continuous(&mut self, started_ns: Nanos) -> anyhow::Result<()> {
        let Some(feed) = &mut self.feed else {
            return Ok(());
        };
        if feed.schedule.is_over(started_ns, feed.next, clock::now()) {
            self.finish_round();
            return Ok(());
        }
        let connections = &self.connections;
        let lags = |&index: &usize| {
            let connection: Option<&_> = connections[index].as_ref();
            connection
                .is_some_and(|one| one.position.is_some() && one.unsent_bytes() > LAG_BYTES_MAX)
        };
        feed.slow = feed.slow.filter(lags);
        if feed.slow.is_none() {
            feed.slow = feed.subscribers.iter().copied().find(lags);
        }
        self.is_due = feed.slow.is_none();
        if self.is_due {
            feed.fill(clock::now);
            self.deliver(usize::MAX)?;
        } else if let Some(duration_ends_ns) = feed.schedule.ends_at(started_ns) {
            self.timer.set(duration_ends_ns)?;
        }
        Ok(())
    }

    /// Sends the batch to all subscribers.
    ///
    /// Disconnects each subscriber with more than `backlog_bytes_max` unsent bytes.
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
                    "closed a subscriber that reads too slowly: {} bytes unsent",
                    connection.unsent_bytes()
                ));
                connection.close_now(TRY_AGAIN_LATER);
                self.close_deadlines
                    .push(clock::now(), index, connection.serial);
                self.runnable.push(index);
            }
        }
        for (index, error) in broken {
            if let Some(connection) = &mut self.connections[index] {
                let progress = connection.fail(error, &self.resources);
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
                connection.position = None;
                if !connection.finish_feed(&mut self.resources) {
                    connection.close_after_outbox();
                    self.close_deadlines.push(now, index, connection.serial);
                }
                self.runnable.push(index);
            }
        }
        feed.start_next_round();
    }
}

fn position_after(subscribers: usize) -> u32 {
    u32::try_from(subscribers).expect("a thread has fewer than 2^32 descriptors")
}
