//! The push server: N messages to whoever connects to `/N`.

mod connection;
mod observed;
mod sender;
mod upgrade;

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

use anyhow::Context;
use autostrada_measure::{Nanos, Series};
use autostrada_net::tls::{TlsStream, configure_server};
use autostrada_net::{Events, Listener, Poll, Token, Transport, Waker, clock, limits};
use autostrada_proto::frame::Opcode;
use autostrada_proto::repeat::RepeatedFrame;
use rustls::ServerConfig;

use crate::command_channel::Command;
use crate::line::{self, Line};
use crate::plan::{self, FramesPerWrite, PlanError, ServePlan, ServeWorkload};
use connection::{Connection, Progress};
use observed::Observed;

const LISTENER: Token = Token(usize::MAX);
const COMMANDS: Token = Token(usize::MAX - 1);

/// What is written at once where many frames go into one system call: larger is not
/// faster, smaller is slower.
const PREPARED_BYTES: usize = 256 * 1024;

/// How much is read at once.
const READ_BYTES: usize = 64 * 1024;

/// What every connection of one server sends.
#[derive(Debug)]
struct Feed {
    /// Whole frames, ready to be written.
    prepared: Vec<u8>,
    frame_bytes: usize,
    payload_bytes: u64,
    frames_per_write: FramesPerWrite,
}

impl Feed {
    fn new(text: &str, frames_per_write: FramesPerWrite) -> Self {
        let frame = RepeatedFrame::new(Opcode::Text, text.as_bytes());
        Self {
            prepared: frame.repeat_to_about(PREPARED_BYTES),
            frame_bytes: frame.frame().len(),
            payload_bytes: u64::try_from(text.len()).expect("a length fits"),
            frames_per_write,
        }
    }
}

/// One thread that owns a poller and all connections of a listener.
pub struct PushServer {
    poll: Poll,
    waker: Arc<Waker>,
    listener: Listener,
    tls: Option<Arc<ServerConfig>>,
    feed: Feed,
    connections: Vec<Option<Connection>>,
    /// Numbers of connections that are over, to be given again.
    free: Vec<usize>,
    /// Whether connections wait because there is no descriptor for them.
    is_full: bool,
    /// What the turn of any connection reads into.
    buffer: Vec<u8>,
    /// Connections that can go on without waiting for the poller.
    runnable: Vec<usize>,
    observed: Observed,
    /// While anything is being sent.
    series: Option<Series>,
    ended: u64,
    ends_after: Option<u64>,
}

impl PushServer {
    /// Listens as the plan says, and prints the `ready` line.
    ///
    /// # Errors
    ///
    /// When the address cannot be had.
    pub fn bind(plan: &ServePlan) -> anyhow::Result<Self> {
        let ServeWorkload::Push {
            payload,
            frames_per_write,
        } = &plan.workload;
        limits::raise_descriptor_limit().context("cannot raise the limit of open files")?;
        let address = plan::resolve(&plan.listen)?;
        let mut listener = Listener::bind(address, plan.congestion_control.as_deref())
            .map_err(|error| PlanError::new(format!("cannot listen at {address}: {error}")))?;
        let tls = plan.tls.as_ref().map(|files| {
            configure_server(&files.certificate_file, &files.key_file)
                .map_err(|error| PlanError::new(format!("tls: {error}")))
        });
        let tls = tls.transpose()?;
        let scheme = if tls.is_some() { "wss" } else { "ws" };
        let poll = Poll::new()?;
        listener.register(poll.registry(), LISTENER)?;
        let waker = Arc::new(Waker::new(poll.registry(), COMMANDS)?);
        line::print(&Line::Ready {
            format: plan::FORMAT,
            version: env!("CARGO_PKG_VERSION"),
            url: &format!("{scheme}://{}", listener.local_address()?),
        })?;
        Ok(Self {
            poll,
            waker,
            listener,
            tls,
            feed: Feed::new(&payload.text, *frames_per_write),
            connections: Vec::new(),
            free: Vec::new(),
            is_full: false,
            buffer: vec![0; READ_BYTES],
            runnable: Vec::new(),
            observed: Observed::new(plan.hold_until_observing),
            series: None,
            ended: 0,
            ends_after: plan.connections,
        })
    }

    /// What wakes the server when a command has come.
    pub fn waker(&self) -> Arc<Waker> {
        Arc::clone(&self.waker)
    }

    /// Serves until the planned number of connections has ended, or the commands have.
    ///
    /// # Errors
    ///
    /// When the operating system refuses, or nobody reads the results.
    pub fn run(&mut self, commands: Option<&Receiver<Command>>) -> anyhow::Result<()> {
        let mut events = Events::with_capacity(1024);
        while self
            .ends_after
            .is_none_or(|connections| self.ended < connections)
        {
            let timeout = self.timeout(clock::now());
            match self.poll.poll(&mut events, timeout) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                    return Err(error).context("cannot poll");
                }
                _ => {}
            }
            for event in &events {
                match event.token() {
                    LISTENER => self.accept()?,
                    COMMANDS => {}
                    Token(index) => {
                        if let Some(connection) = &mut self.connections[index] {
                            connection.notice(event, clock::now());
                            self.runnable.push(index);
                        }
                    }
                }
            }
            if let Some(commands) = commands
                && !self.obey(commands)
            {
                return Ok(());
            }
            self.advance_all()?;
            self.print_seconds(clock::now())?;
        }
        Ok(())
    }

    fn timeout(&self, now: Nanos) -> Option<Duration> {
        if !self.runnable.is_empty() {
            return Some(Duration::ZERO);
        }
        let series = self.series.as_ref()?;
        Some(Duration::from_nanos(series.ends_at().saturating_sub(now)))
    }

    fn accept(&mut self) -> anyhow::Result<()> {
        loop {
            let mut stream = match self.listener.accept() {
                Ok(Some(stream)) => stream,
                Ok(None) => return Ok(()),
                // Whoever waits is accepted when another one has gone.
                Err(error) if limits::is_out_of_descriptors(&error) => {
                    if !self.is_full {
                        crate::log(&format!("no more connections for the present: {error}"));
                    }
                    self.is_full = true;
                    return Ok(());
                }
                Err(error) => return Err(error).context("cannot accept"),
            };
            let index = self.free.pop().unwrap_or_else(|| {
                self.connections.push(None);
                self.connections.len() - 1
            });
            stream.register(self.poll.registry(), Token(index))?;
            let transport = match &self.tls {
                None => Transport::Plain(stream),
                Some(config) => Transport::Tls(Box::new(TlsStream::accept(stream, config)?)),
            };
            self.connections[index] = Some(Connection::new(transport));
        }
    }

    /// Carries out what has been commanded; returns whether to go on.
    fn obey(&mut self, commands: &Receiver<Command>) -> bool {
        loop {
            match commands.try_recv() {
                Ok(Command::Observe(processes)) => {
                    self.observed.announce(processes);
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
            let progress = connection.advance(&self.feed, &self.observed, &mut self.buffer);
            let sent = connection.take_messages();
            if sent > 0 {
                let now = clock::now();
                self.series.get_or_insert_with(|| Series::new(now));
                self.print_seconds(now)?;
                if let Some(series) = &mut self.series {
                    series.count(sent, sent * self.feed.payload_bytes);
                }
            }
            self.conclude(index, progress)?;
        }
        Ok(())
    }

    fn conclude(&mut self, index: usize, progress: Progress) -> anyhow::Result<()> {
        match progress {
            Progress::Runnable => self.runnable.push(index),
            Progress::Waiting => {}
            Progress::Measured(result) => {
                line::print(&Line::Serve(&result))?;
                self.runnable.push(index);
            }
            Progress::Gone => {
                // Whoever did not get through the opening handshake was nobody's client:
                // it must not end the server before the one that is waited for.
                let gone = self.connections[index].take();
                self.ended += u64::from(gone.is_some_and(|one| one.was_opened()));
                self.free.push(index);
                if std::mem::take(&mut self.is_full) {
                    self.accept()?;
                }
                if self.free.len() == self.connections.len() {
                    self.series = None;
                }
            }
        }
        Ok(())
    }

    fn print_seconds(&mut self, now: Nanos) -> anyhow::Result<()> {
        if let Some(series) = &mut self.series {
            while let Some(second) = series.finish(now) {
                line::print(&second.into())?;
            }
        }
        Ok(())
    }
}
