//! One thread of the server: it owns a poller and its connections.

mod accepting;
mod alarm;
mod deadlines;
mod misbehaving;
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
use crate::command_channel::Command;
use crate::line::{self, Line};
use alarm::Alarm;
use deadlines::Deadlines;

const LISTENER: Token = Token(usize::MAX);
pub(super) const WAKER: Token = Token(usize::MAX - 1);
const TIMER: Token = Token(usize::MAX - 2);
const ALARM: Token = Token(usize::MAX - 3);

/// How long a client may take what is left, and say that it is over too.
const CLOSE_TIMEOUT_NS: Nanos = 10_000_000_000;

/// How many events are taken from the poller at once.
const EVENTS_MAX: usize = 1024;

/// What the threads of a server share.
pub struct Shared {
    /// What they have sent, and whether one has failed.
    pub counters: SharedCounters,
    /// Which thread accepts connections.
    pub accept_token: AcceptToken,
    /// To wake each of them.
    pub wakers: Vec<Waker>,
    /// With TLS.
    pub tls: Option<Arc<ServerConfig>>,
}

/// One thread that owns a poller and its connections.
pub struct Worker {
    number: usize,
    shared: Arc<Shared>,
    poll: Poll,
    listener: Listener,
    /// Whether the listener is in the poller, and how many more connections are accepted then.
    accepts: Option<usize>,
    /// Whether connections wait because there is no descriptor for them.
    is_full: bool,
    commands: Receiver<Command>,
    connections: Vec<Option<Box<Connection>>>,
    /// Numbers of connections that are over, to be given again.
    free: Vec<usize>,
    serial: u32,
    /// Connections that can go on without waiting for the poller.
    runnable: Vec<usize>,
    resources: Resources,
    feed: Option<Feed>,
    timer: Timer,
    /// Whether a message of the feed may be due.
    is_due: bool,
    /// Who has been told that it is over.
    close_deadlines: Deadlines,
    /// For what goes wrong, where something is to.
    alarm: Option<Alarm>,
}

/// What a thread is made of, beside what all share.
pub struct Parts {
    /// Which thread, counted from 0.
    pub number: usize,
    /// Its poller, where its waker is registered.
    pub poll: Poll,
    /// The listening socket.
    pub listener: Listener,
    /// Its messages from other threads.
    pub commands: Receiver<Command>,
    /// What its connections share.
    pub resources: Resources,
    /// Its part of the feed.
    pub feed: Option<Feed>,
}

impl Worker {
    /// Makes it; descriptors are opened here, before the thread has a table of its own.
    ///
    /// # Errors
    ///
    /// When there is no descriptor left.
    pub fn new(parts: Parts, shared: Arc<Shared>) -> anyhow::Result<Self> {
        let timer = Timer::new().context("cannot make a timer")?;
        timer.register(parts.poll.registry(), TIMER)?;
        let alarm = match &parts.resources.faults {
            None => None,
            Some(_) => Some(Alarm::new(parts.poll.registry(), ALARM)?),
        };
        Ok(Self {
            number: parts.number,
            shared,
            poll: parts.poll,
            listener: parts.listener,
            accepts: None,
            is_full: false,
            commands: parts.commands,
            connections: Vec::new(),
            free: Vec::new(),
            serial: 0,
            runnable: Vec::new(),
            resources: parts.resources,
            feed: parts.feed,
            timer,
            is_due: false,
            close_deadlines: Deadlines::new(CLOSE_TIMEOUT_NS),
            alarm,
        })
    }

    /// Whether it is the one that says what holds for all threads.
    pub fn is_first(&self) -> bool {
        self.number == 0
    }

    /// Serves until commanded to end.
    ///
    /// # Errors
    ///
    /// When the operating system refuses, or nobody reads the results.
    pub fn run(&mut self) -> anyhow::Result<()> {
        let mut events = Events::with_capacity(EVENTS_MAX);
        self.take_accept_token()?;
        loop {
            match self.poll.poll(&mut events, self.timeout()) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                    return Err(error).context("cannot poll");
                }
                _ => {}
            }
            if self.alarm.is_some() {
                self.stand_still();
            }
            for event in &events {
                match event.token() {
                    LISTENER => self.accept()?,
                    TIMER => self.is_due = true,
                    ALARM => {}
                    WAKER => {
                        if !self.obey() {
                            return Ok(());
                        }
                        self.take_accept_token()?;
                        self.look_up_round();
                    }
                    Token(index) => {
                        if let Some(connection) = &mut self.connections[index] {
                            connection.notice(event);
                            self.runnable.push(index);
                        }
                    }
                }
            }
            self.advance_all()?;
            self.publish()?;
            self.keep_deadlines()?;
            if self.alarm.is_some() {
                self.send_departures()?;
            }
        }
    }

    fn timeout(&self) -> Option<Duration> {
        let is_near = self.alarm.as_ref().is_some_and(Alarm::is_near);
        if !self.runnable.is_empty() || self.is_due || is_near {
            return Some(Duration::ZERO);
        }
        let next = self.close_deadlines.next_at()?;
        Some(Duration::from_nanos(next.saturating_sub(clock::now())))
    }

    /// Carries out what has been commanded; returns whether to go on.
    fn obey(&mut self) -> bool {
        loop {
            match self.commands.try_recv() {
                Ok(Command::Observe(processes)) => {
                    self.resources.observed.announce(processes);
                    self.runnable.extend(0..self.connections.len());
                }
                Ok(Command::End) | Err(TryRecvError::Disconnected) => return false,
                Err(TryRecvError::Empty) => return true,
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
                self.join(index)?;
            }
            self.conclude(index, progress)?;
            if self.alarm.is_some() {
                self.reset_if_planned(index)?;
            }
        }
        Ok(())
    }

    /// Counts what a connection has handed to the kernel.
    fn count(&mut self, index: usize) {
        if let Some(connection) = &mut self.connections[index] {
            let count = connection.take_new();
            if count.messages > 0 {
                self.shared.counters.count(self.number, count);
            }
        }
    }

    fn conclude(&mut self, index: usize, progress: Progress) -> anyhow::Result<()> {
        self.leave_if_over(index);
        if let (Some(faults), Some(connection)) =
            (&mut self.resources.faults, &mut self.connections[index])
        {
            connection.forget_if_over(faults);
        }
        match progress {
            Progress::Runnable => self.runnable.push(index),
            Progress::Waiting => {}
            Progress::Measured(result) => {
                line::print(&Line::Serve(&result))?;
                self.runnable.push(index);
            }
            Progress::Gone => {
                let gone = self.connections[index].take();
                self.free.push(index);
                self.make_room()?;
                // Whoever did not get through the opening handshake was nobody's client:
                // it must not end the server before the one that is waited for.
                let was_opened = gone.is_some_and(|one| one.was_opened());
                self.shared.counters.disconnect(was_opened);
            }
        }
        Ok(())
    }

    fn wake(&self, thread: usize) -> anyhow::Result<()> {
        let waker = &self.shared.wakers[thread];
        waker.wake().context("cannot wake a thread")
    }

    /// Drops each connection whose client has had its time to answer the close.
    fn keep_deadlines(&mut self) -> anyhow::Result<()> {
        if self
            .close_deadlines
            .next_at()
            .is_none_or(|at| at > clock::now())
        {
            return Ok(());
        }
        while let Some((index, serial)) = self.close_deadlines.take_overdue(clock::now()) {
            let slot = &self.connections[index];
            if slot.as_ref().is_some_and(|one| one.serial() == serial) {
                self.drop_connection(index, "the client has not answered the end")?;
            }
        }
        Ok(())
    }

    /// Ends a connection without waiting for its client any longer.
    fn drop_connection(&mut self, index: usize, reason: &str) -> anyhow::Result<()> {
        if let Some(connection) = &mut self.connections[index] {
            let error = io::Error::new(io::ErrorKind::TimedOut, reason);
            if let Progress::Measured(result) = connection.break_off(error, &self.resources) {
                line::print(&Line::Serve(&result))?;
            }
            self.conclude(index, Progress::Gone)?;
        }
        Ok(())
    }
}
