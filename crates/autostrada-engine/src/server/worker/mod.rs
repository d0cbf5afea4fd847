//! One thread of the server, which owns a poller and its connections.

mod accepting;
mod alarm;
mod deadlines;
mod faults;
mod slices;
mod subscribers;

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

use anyhow::Context;
use autostrada_measure::Nanos;
use autostrada_net::{Events, Listener, Poll, Timer, Token, Waker, clock};
use rustls::ServerConfig;

use super::accept_token::AcceptToken;
use super::connection::{Connection, Progress};
use super::feed::Feed;
use super::resources::Resources;
use super::shared_counters::SharedCounters;
use crate::busy_poll::{self, BusyPoll};
use crate::command_channel::Command;
use crate::observer_link::ObserverLink;
use alarm::Alarm;
use deadlines::Deadlines;
use slices::Slices;

const LISTENER: Token = Token(usize::MAX);
pub(super) const WAKER: Token = Token(usize::MAX - 1);
const TIMER: Token = Token(usize::MAX - 2);
const ALARM: Token = Token(usize::MAX - 3);

/// Time limit for a client to read the rest and to answer the close, in nanoseconds.
const CLOSE_TIMEOUT_NS: Nanos = 10_000_000_000;

/// Maximum time for which a thread polls before it sleeps: a client on this machine would spend time
/// on waking its core.
const BUSY_POLL_NS: Nanos = 50_000;

/// Maximum number of events per poll.
const EVENTS_MAX: usize = 1024;

/// The state that the threads of a server share.
pub struct Shared {
    /// Sent messages, number of connections, and the first failure of a thread.
    pub counters: SharedCounters,
    /// The thread that accepts connections.
    pub accept_token: AcceptToken,
    /// The waker of each thread.
    pub wakers: Vec<Waker>,
    /// TLS configuration; `None` without TLS.
    pub tls: Option<Arc<ServerConfig>>,
    /// The observer that is told of accepted connections; `None` without one.
    pub observer: Option<ObserverLink>,
}

/// One thread that owns a poller and its connections.
pub struct Worker {
    number: usize,
    shared: Arc<Shared>,
    poll: Poll,
    listener: Listener,
    /// Number of connections that this turn still accepts; `None` while the listener is not
    /// registered with the poller.
    accepts: Option<usize>,
    /// Whether connections wait because this thread has no free descriptor.
    is_full: bool,
    commands: Receiver<Command>,
    connections: Vec<Option<Box<Connection>>>,
    /// Free indices of `connections`.
    free: Vec<usize>,
    serial: u32,
    /// Connections that can continue without waiting for the poller.
    runnable: Vec<usize>,
    resources: Resources,
    feed: Option<Feed>,
    timer: Timer,
    /// Whether a message of the feed may be due.
    is_due: bool,
    /// Deadlines of connections that the server has begun to close.
    close_deadlines: Deadlines,
    /// Timer for fault injection; `None` without faults.
    alarm: Option<Alarm>,
    /// The slices of the push; `None` if it is not divided.
    slices: Option<Box<Slices>>,
    busy_poll: BusyPoll,
}

impl Worker {
    /// Creates the worker with this number, counted from 0, and opens its timers. The thread's waker
    /// is registered with `poll`; `feed` is its part of the feed.
    pub fn new(
        number: usize,
        poll: Poll,
        listener: Listener,
        commands: Receiver<Command>,
        resources: Resources,
        feed: Option<Feed>,
        shared: Arc<Shared>,
    ) -> anyhow::Result<Self> {
        let timer = Timer::new().context("cannot make a timer")?;
        timer.register(poll.registry(), TIMER)?;
        let alarm = match &resources.faults {
            None => None,
            Some(_) => Some(Alarm::new(poll.registry(), ALARM)?),
        };
        Ok(Self {
            number,
            shared,
            poll,
            listener,
            accepts: None,
            is_full: false,
            commands,
            connections: Vec::new(),
            free: Vec::new(),
            serial: 0,
            runnable: Vec::new(),
            slices: resources.message.has_slices.then(Box::default),
            resources,
            feed,
            timer,
            is_due: false,
            close_deadlines: Deadlines::new(CLOSE_TIMEOUT_NS),
            alarm,
            busy_poll: BusyPoll::new(busy_poll::permitted_ns(BUSY_POLL_NS)),
        })
    }

    /// Returns whether this is thread 0, which logs what concerns all threads.
    pub fn is_first(&self) -> bool {
        self.number == 0
    }

    /// Serves until no command can follow, or the slices of the push and its connection have ended.
    /// Returns an error if a system call fails or stdout is closed.
    pub fn run(&mut self) -> anyhow::Result<()> {
        let mut events = Events::with_capacity(EVENTS_MAX);
        self.take_accept_token()?;
        loop {
            match self.wait(&mut events) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                    return Err(error).context("cannot poll");
                }
                _ => {}
            }
            if self.alarm.is_some() {
                self.stop_if_planned();
            }
            for event in &events {
                match event.token() {
                    LISTENER => self.accept()?,
                    TIMER => self.is_due = true,
                    ALARM => {}
                    WAKER => {
                        if !self.execute_commands()? {
                            return Ok(());
                        }
                        self.take_accept_token()?;
                        self.check_round();
                    }
                    Token(index) => {
                        if let Some(connection) = &mut self.connections[index] {
                            connection.handle_event(event);
                            self.runnable.push(index);
                        }
                    }
                }
            }
            self.advance_all()?;
            self.publish()?;
            self.enforce_deadlines()?;
            if self.alarm.is_some() {
                self.send_departures()?;
            }
            if self.continue_slices()? {
                return Ok(());
            }
        }
    }

    /// Waits for events, unless there is other work.
    fn wait(&mut self, events: &mut Events) -> io::Result<()> {
        let is_near = self.alarm.as_ref().is_some_and(Alarm::is_near);
        if !self.runnable.is_empty() || self.is_due || is_near {
            return self.poll.poll(events, Some(Duration::ZERO));
        }
        let pong_at = self.slices.as_ref().and_then(|slices| slices.deadline());
        let next_at = [self.close_deadlines.next_at(), pong_at]
            .into_iter()
            .flatten()
            .min();
        let until = next_at.unwrap_or(Nanos::MAX);
        self.busy_poll.poll(&mut self.poll, events, until)?;
        self.resources.usage_reader.spun_ns = self.busy_poll.spun_ns;
        if !events.is_empty() {
            return Ok(());
        }
        let timeout = next_at.map(|at| Duration::from_nanos(at.saturating_sub(clock::now())));
        self.poll.poll(events, timeout)
    }

    /// Executes pending commands; returns whether the thread continues.
    fn execute_commands(&mut self) -> anyhow::Result<bool> {
        loop {
            match self.commands.try_recv() {
                Ok(Command::Observe(processes)) => {
                    self.resources.usage_reader.configure(processes);
                    self.runnable.extend(0..self.connections.len());
                }
                Ok(Command::Slice(slice)) => self.begin_slice(slice)?,
                Ok(Command::End(_)) => self.end_slices()?,
                Err(TryRecvError::Disconnected) => return Ok(false),
                Err(TryRecvError::Empty) => return Ok(true),
            }
        }
    }

    /// Lets each runnable connection do one turn.
    fn advance_all(&mut self) -> anyhow::Result<()> {
        for index in std::mem::take(&mut self.runnable) {
            let Some(connection) = &mut self.connections[index] else {
                continue;
            };
            self.resources.index = index;
            let progress = connection.advance(&mut self.resources);
            self.count(index);
            if std::mem::take(&mut self.resources.has_joined) {
                self.subscribe(index)?;
            }
            self.conclude(index, progress)?;
            if self.alarm.is_some() {
                self.reset_if_planned(index)?;
            }
        }
        Ok(())
    }

    /// Counts the messages that a connection has handed to the kernel.
    fn count(&mut self, index: usize) {
        if let Some(connection) = &mut self.connections[index] {
            let count = connection.take_new();
            if count.messages > 0 {
                self.shared.counters.count(self.number, count);
            }
        }
    }

    fn conclude(&mut self, index: usize, progress: Progress) -> anyhow::Result<()> {
        self.unsubscribe_if_closing(index);
        if let (Some(faults), Some(connection)) =
            (&mut self.resources.faults, &mut self.connections[index])
        {
            connection.drop_delayed_if_closing(faults);
        }
        match progress {
            Progress::Runnable => self.runnable.push(index),
            Progress::Waiting => {}
            Progress::Measured(result) => {
                self.report(result)?;
                self.runnable.push(index);
            }
            Progress::Gone => {
                let gone = self.connections[index].take();
                self.free.push(index);
                self.report_free_descriptor()?;
                // Connections without a complete opening handshake, such as those of a port
                // scanner, do not count towards the planned number that ends the server.
                let was_opened = gone.is_some_and(|one| one.was_opened);
                self.shared.counters.disconnect(was_opened);
            }
        }
        Ok(())
    }

    fn wake(&self, thread: usize) -> anyhow::Result<()> {
        let waker = &self.shared.wakers[thread];
        waker.wake().context("cannot wake a thread")
    }

    /// Drops each connection whose client has not answered the close in time.
    fn enforce_deadlines(&mut self) -> anyhow::Result<()> {
        if self
            .close_deadlines
            .next_at()
            .is_none_or(|at| at > clock::now())
        {
            return Ok(());
        }
        while let Some((index, serial)) = self.close_deadlines.take_overdue(clock::now()) {
            let slot = &self.connections[index];
            if slot.as_ref().is_some_and(|one| one.serial == serial) {
                self.drop_connection(index, "the client did not answer the close in time")?;
            }
        }
        Ok(())
    }

    /// Ends a connection without waiting for its client.
    fn drop_connection(&mut self, index: usize, reason: &str) -> anyhow::Result<()> {
        if let Some(connection) = &mut self.connections[index] {
            let error = io::Error::new(io::ErrorKind::TimedOut, reason);
            if let Progress::Measured(result) = connection.fail(error, &self.resources) {
                self.report(result)?;
            }
            self.conclude(index, Progress::Gone)?;
        }
        Ok(())
    }
}
