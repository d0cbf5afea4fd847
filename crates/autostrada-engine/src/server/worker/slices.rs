//! The slices of a push: parts of it that commands begin, and that end with a pong.

use anyhow::Context;
use autostrada_measure::Nanos;
use autostrada_net::clock;
use autostrada_proto::close;

use super::Worker;
use crate::command_channel::{PushPart, SliceCommand};
use crate::line::{self, Line, ServeResult, SliceRow};
use crate::plan::PlanError;
use crate::server::connection::Connection;
use crate::server::usage_reader::UsageReader;

/// Time limit for the pong of the ping after the last message, in nanoseconds: a slow client of a cold
/// start has tens of seconds of work in the buffers of its socket.
const PONG_TIMEOUT_NS: Nanos = 60_000_000_000;

/// Time over which the rate of the client is averaged, in nanoseconds: longer than a slice whose
/// messages a library has parsed in advance.
const RATE_NS: Nanos = 500_000_000;

/// The slices of the only push of a server.
#[derive(Debug, Default)]
pub struct Slices {
    /// Index and serial number of the connection; `None` before it is open.
    pushed: Option<(usize, u32)>,
    current: Option<Current>,
    rate: Rate,
    /// Whether a slice was not complete, so that no other is begun.
    has_failed: bool,
    is_ending: bool,
    /// The result of the connection, if it has ended before the slices.
    result: Option<Box<ServeResult>>,
}

/// A slice that has begun.
#[derive(Debug, Clone, Copy)]
struct Current {
    began_ns: Nanos,
    busy_ns: Nanos,
    messages: u64,
    /// End of the time limit of the pong; `None` before the ping.
    deadline: Option<Nanos>,
}

impl Slices {
    /// Returns the end of the time limit of a pong; `None` if none is awaited.
    pub fn deadline(&self) -> Option<Nanos> {
        self.current.and_then(|current| current.deadline)
    }
}

/// How fast the client has processed the messages of the slices before.
#[derive(Debug, Default, Clone, Copy)]
struct Rate {
    messages: u64,
    ns: Nanos,
}

impl Rate {
    /// Adds a slice; of those before it, the last `RATE_NS` count.
    fn add(&mut self, messages: u64, ns: Nanos) {
        if self.ns > RATE_NS {
            self.messages = self.messages_in(RATE_NS).unwrap_or(0);
            self.ns = RATE_NS;
        }
        self.messages += messages;
        self.ns += ns;
    }

    /// Returns the number of messages, at least 1, that are processed in some time; `None` before
    /// the first slice.
    fn messages_in(&self, ns: Nanos) -> Option<u64> {
        let messages = (u128::from(self.messages) * u128::from(ns)).checked_div(self.ns.into())?;
        Some(u64::try_from(messages).unwrap_or(u64::MAX).max(1))
    }
}

impl Worker {
    /// Begins a slice; it is over at once if the connection has ended.
    pub(super) fn begin_slice(&mut self, command: SliceCommand) -> anyhow::Result<()> {
        let Some(slices) = self.slices.as_deref_mut() else {
            return Ok(());
        };
        let pushed = slices.pushed.filter(|_| slices.current.is_none());
        let (index, serial) = pushed.ok_or_else(|| {
            PlanError::new(
                "stdin: a slice must follow the line opened, and that of the slice before",
            )
        })?;
        let part = command.part()?;
        let messages = match part {
            PushPart::Messages(messages) => Some(messages),
            PushPart::Time(ns) => slices.rate.messages_in(ns),
        };
        let messages = messages.or(slices.has_failed.then_some(0)).ok_or_else(|| {
            PlanError::new("stdin: the first slice of a push needs messages, not seconds")
        })?;
        if let Some(connection) = served(&mut self.connections, index, serial)
            && !slices.has_failed
        {
            let has_pings = matches!(part, PushPart::Messages(_));
            connection.plan_slice(messages, has_pings, &self.resources);
            self.runnable.push(index);
        }
        slices.current = Some(Current {
            began_ns: clock::now(),
            busy_ns: self.resources.usage_reader.busy_ns(),
            messages,
            deadline: None,
        });
        Ok(())
    }

    /// Ends the slices: closes the connection, and prints its result if it has ended before.
    pub(super) fn end_slices(&mut self) -> anyhow::Result<()> {
        let Some(slices) = self.slices.as_deref_mut() else {
            return Ok(());
        };
        slices.is_ending = true;
        if let Some(result) = slices.result.take() {
            line::print(&Line::Serve(&result))?;
        }
        if let Some((index, serial)) = slices.pushed
            && let Some(connection) = served(&mut self.connections, index, serial)
        {
            connection.close_now(close::NORMAL);
            self.close_deadlines.push(clock::now(), index, serial);
            self.runnable.push(index);
        }
        Ok(())
    }

    /// Goes on with the slices after each turn; returns whether they have ended, and the connection.
    pub(super) fn continue_slices(&mut self) -> anyhow::Result<bool> {
        let Some(slices) = self.slices.as_deref_mut() else {
            return Ok(false);
        };
        if slices.pushed.is_none() {
            let mut open = self.connections.iter().enumerate();
            slices.pushed = open.find_map(|(index, connection)| {
                let connection = connection.as_ref().filter(|one| one.is_pushing())?;
                Some((index, connection.serial))
            });
            if slices.pushed.is_some() {
                line::print(&Line::Opened)?;
            }
        }
        if let (Some(current), Some((index, serial))) = (slices.current, slices.pushed) {
            let connection = served(&mut self.connections, index, serial);
            if slices.advance(current, connection, &self.resources.usage_reader)? {
                self.runnable.push(index);
            }
        }
        let mut open = self.connections.iter().flatten();
        Ok(slices.is_ending && !open.any(|one| one.was_opened))
    }

    /// Prints the result of a connection; in slices, after their end.
    pub(super) fn report(&mut self, result: Box<ServeResult>) -> anyhow::Result<()> {
        match self.slices.as_deref_mut() {
            Some(slices) if !slices.is_ending => slices.result = Some(result),
            _ => line::print(&Line::Serve(&result)).context("cannot print a result")?,
        }
        Ok(())
    }
}

impl Slices {
    /// Goes on with a slice, and prints its line when it ends; returns whether the connection, `None`
    /// if it has ended, has something to send.
    fn advance(
        &mut self,
        current: Current,
        connection: Option<&mut Connection>,
        usage_reader: &UsageReader,
    ) -> anyhow::Result<bool> {
        let mut answered_ns = None;
        if let Some(connection) = connection.filter(|_| !self.has_failed) {
            let now = clock::now();
            match current.deadline {
                None if !connection.has_sent_planned() => return Ok(false),
                None => {
                    connection.end_slice();
                    let deadline = Some(now + PONG_TIMEOUT_NS);
                    self.current = Some(Current {
                        deadline,
                        ..current
                    });
                    return Ok(true);
                }
                Some(deadline) => {
                    answered_ns = connection.take_pong();
                    if answered_ns.is_none() && now < deadline {
                        return Ok(false);
                    }
                }
            }
        }
        let complete = answered_ns.is_some();
        let ended_ns = answered_ns.unwrap_or_else(clock::now);
        self.current = None;
        self.has_failed |= !complete;
        if complete {
            let length_ns = ended_ns.saturating_sub(current.began_ns);
            self.rate.add(current.messages, length_ns);
        }
        line::print(&Line::Slice(&SliceRow {
            began_ns: current.began_ns,
            ended_ns,
            messages: if complete { current.messages } else { 0 },
            busy_ns: usage_reader.busy_ns().saturating_sub(current.busy_ns),
            complete,
        }))?;
        Ok(false)
    }
}

/// Returns a connection that is open, and that neither side has begun to close.
fn served(
    connections: &mut [Option<Box<Connection>>],
    index: usize,
    serial: u32,
) -> Option<&mut Connection> {
    let connection = connections.get_mut(index)?.as_deref_mut()?;
    (connection.serial == serial && connection.is_served()).then_some(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Nanos = 1_000_000;

    #[test]
    fn the_rate_is_that_of_the_last_half_second() {
        let mut rate = Rate::default();
        assert_eq!(rate.messages_in(MS), None);
        rate.add(1_000_000, 10_000 * MS);
        assert_eq!(rate.messages_in(300 * MS), Some(30_000));
        // 50,000 in 500 ms of those before, and 250,000 in 500 ms.
        rate.add(250_000, 500 * MS);
        assert_eq!(rate.messages_in(300 * MS), Some(90_000));
        assert_eq!(rate.messages_in(1), Some(1));
    }

    #[test]
    fn a_pong_that_came_too_early_after_few_messages_hardly_changes_the_rate() {
        let mut rate = Rate::default();
        rate.add(500_000, 500 * MS);
        rate.add(50_000, MS);
        assert_eq!(rate.messages_in(501 * MS), Some(550_000));
    }
}
