//! One thread of a client: its poller, its connections, its share of the schedule.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use autostrada_measure::{Arrivals, ConnectionTimes, FailureKind, Failures, Nanos};
use autostrada_net::tls::{Agreed, TlsStream};
use autostrada_net::{Events, Poll, Stream, Timer, Token, Transport, clock, limits, random_bytes};
use autostrada_proto::close;
use autostrada_proto::handshake::client::ClientHandshake;
use rustls::ClientConfig;

use super::connection::{Connection, End, Shared};
use super::seconds::Seconds;
use super::start::Start;
use super::workload::Workload;

const TIMER: Token = Token(usize::MAX);

/// One buffer serves all connections of a thread; it fits into the second-level cache.
const READ_BYTES: usize = 256 * 1024;

/// Closer than this a due message is waited for by asking again, not by sleeping.
const TOO_SOON_TO_SLEEP_NS: Nanos = 20_000;

/// How long the closing handshakes may take in all.
const CLOSING_NS: Nanos = 1_000_000_000;

/// How long an interruption may go unnoticed.
const INTERRUPTION_NS: Nanos = 500_000_000;

/// Where a thread's connections go to.
#[derive(Debug, Clone)]
pub struct Target {
    /// The server.
    pub address: SocketAddr,
    /// For the `Host` header.
    pub authority: String,
    /// With the query.
    pub path: String,
    /// Whether one table of descriptors is too small for all threads. It is asked for only then,
    /// as some containers forbid it.
    pub needs_own_tables: bool,
    /// Where connections come from, in turn; the system chooses where there are none.
    pub sources: Vec<IpAddr>,
    /// For `wss://`: the configuration, and the name that the certificate must be for.
    pub tls: Option<(Arc<ClientConfig>, String)>,
}

/// What a thread has seen of its connections, beside what its workload has recorded.
#[derive(Debug, Default)]
pub struct Seen {
    /// What connecting took.
    pub times: ConnectionTimes,
    /// What went wrong.
    pub failures: Failures,
    /// Connections that were opened.
    pub opened: u64,
    /// Bytes read, below WebSocket and above TLS.
    pub read_bytes: u64,
    /// In so many calls.
    pub read_calls: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// In so many calls.
    pub write_calls: u64,
    /// The end of the first opening handshake, and the thread's CPU time then.
    pub first_opened: Option<(Nanos, Nanos)>,
    /// CPU time of the thread from the start to the end of the window.
    pub busy_ns: Nanos,
    /// The thread's CPU time at the end of the window.
    pub cpu_ns: Nanos,
    /// When the window began, and when it ended: earlier than planned when interrupted.
    pub window_start: Nanos,
    /// See `window_start`.
    pub ended_at: Nanos,
    /// What was agreed upon in the first TLS handshake.
    pub tls: Option<Agreed>,
    /// Connections that took up an earlier session.
    pub resumed: u64,
}

impl Seen {
    /// Adds what another thread has seen.
    pub fn merge(&mut self, other: &Self) {
        self.times.merge(&other.times);
        self.failures.merge(&other.failures);
        self.opened += other.opened;
        self.read_bytes += other.read_bytes;
        self.read_calls += other.read_calls;
        self.written_bytes += other.written_bytes;
        self.write_calls += other.write_calls;
        self.first_opened = match (self.first_opened, other.first_opened) {
            (Some(ours), Some(theirs)) => Some(ours.min(theirs)),
            (ours, theirs) => ours.or(theirs),
        };
        self.busy_ns += other.busy_ns;
        self.window_start = self.window_start.max(other.window_start);
        self.ended_at = self.ended_at.max(other.ended_at);
        self.tls = self.tls.take().or_else(|| other.tls.clone());
        self.resumed += other.resumed;
        self.cpu_ns += other.cpu_ns;
    }
}

/// One thread.
pub struct Worker<'a, W: Workload> {
    poll: Poll,
    timer: Timer,
    target: &'a Target,
    connections: Vec<Option<Connection>>,
    /// When each connection is due, counted from the first instant.
    connecting: Arrivals,
    shared: Shared<'a>,
    /// What it does with its connections.
    pub workload: W,
    /// What it has seen.
    pub seen: Seen,
    seconds: Seconds,
    /// Connections begun, and neither open nor over.
    opening: usize,
    /// Connections begun, and not over.
    living: usize,
    events: Events,
    /// How long the thread has asked again instead of sleeping, and nothing had happened: it was
    /// not busy then, whatever its CPU time says.
    spun_ns: Nanos,
    /// Messages that were due and sent in this turn.
    turn_sent: u32,
}

impl<'a, W: Workload> Worker<'a, W> {
    /// Prepares a thread.
    ///
    /// # Errors
    ///
    /// When the operating system has no descriptor left.
    pub fn new(
        target: &'a Target,
        connecting: Arrivals,
        workload: W,
        seconds: Seconds,
    ) -> anyhow::Result<Self> {
        if target.needs_own_tables {
            limits::own_descriptor_table().context("cannot have a descriptor table of its own")?;
        }
        let poll = Poll::new()?;
        let timer = Timer::new()?;
        timer.register(poll.registry(), TIMER)?;
        let shared = Shared {
            handshake: ClientHandshake::new(&target.authority, &target.path, &[])?,
            buffer: vec![0; READ_BYTES],
            spare: Vec::new(),
            read_bytes: 0,
            read_calls: 0,
            written_bytes: 0,
            write_calls: 0,
        };
        Ok(Self {
            poll,
            timer,
            target,
            connections: Vec::new(),
            connecting,
            shared,
            workload,
            seen: Seen::default(),
            seconds,
            opening: 0,
            living: 0,
            events: Events::with_capacity(1024),
            spun_ns: 0,
            turn_sent: 0,
        })
    }

    /// Opens all connections, waits for the other threads, and does the work.
    ///
    /// # Errors
    ///
    /// When figures would be worthless: a duration that cannot be recorded, no descriptors.
    pub fn run(&mut self, connections: usize, start: &Start) -> anyhow::Result<()> {
        if let Err(error) = self.open_all(connections, start) {
            start.leave();
            return Err(error);
        }
        let timetable = start.agree();
        self.workload.begin(&timetable);
        while clock::now() < timetable.started_at && !self.workload.is_over() {
            self.turn(timetable.started_at)?;
        }
        let (cpu_before, spun_before) = (clock::thread_cpu(), self.spun_ns);
        for index in 0..self.connections.len() {
            self.start_one(index)?;
        }
        while clock::now() < timetable.window.end && self.has_work() && !start.is_interrupted() {
            self.turn(timetable.window.end)?;
        }
        self.seen.ended_at = clock::now().min(timetable.window.end);
        self.workload.stop_sending(self.seen.ended_at);
        // What was due in the window's last moment is late, not left out.
        self.send_due()?;
        self.seen.window_start = timetable.window.start;
        self.seen.cpu_ns = clock::thread_cpu();
        let spun_ns = self.spun_ns - spun_before;
        self.seen.busy_ns = (self.seen.cpu_ns - cpu_before).saturating_sub(spun_ns);
        while clock::now() < timetable.drained_at
            && self.workload.has_pending()
            && !start.is_interrupted()
        {
            self.turn(timetable.drained_at)?;
        }
        self.close_all()?;
        self.seen.read_bytes = self.shared.read_bytes;
        self.seen.read_calls = self.shared.read_calls;
        self.seen.written_bytes = self.shared.written_bytes;
        self.seen.write_calls = self.shared.write_calls;
        Ok(())
    }

    /// Whether anything is left to do in the window. What is due counts, also where the connection
    /// is gone that it is due for.
    fn has_work(&self) -> bool {
        let has_more = self.living > 0 || self.workload.next_due().is_some();
        has_more && !self.workload.is_over()
    }

    fn start_one(&mut self, index: usize) -> anyhow::Result<()> {
        if let Some(connection) = &mut self.connections[index] {
            let now = clock::now();
            connection.outbox.borrow_buffer(&mut self.shared.spare);
            self.workload.started(index, &mut connection.outbox, now)?;
            let flushed = connection.flush(&mut self.shared);
            self.conclude(index, flushed)?;
        }
        Ok(())
    }

    /// Begins connections when they are due, until all are open or over, or the time is.
    fn open_all(&mut self, connections: usize, start: &Start) -> anyhow::Result<()> {
        let first_at = clock::now();
        let gives_up_at = first_at + start.opening_ns();
        while self.connections.len() < connections || self.opening > 0 {
            let now = clock::now();
            if now >= gives_up_at || start.is_interrupted() {
                self.give_up(now);
                break;
            }
            while self.connections.len() < connections
                && let Some(due) = self.connecting.next_due().map(|due| first_at + due)
                && due <= now
            {
                self.connecting.advance();
                self.begin_one(due)?;
            }
            let next_at = self.connecting.next_due().map(|due| first_at + due);
            let has_more = self.connections.len() < connections;
            self.turn(next_at.filter(|_| has_more).unwrap_or(gives_up_at))?;
        }
        Ok(())
    }

    fn begin_one(&mut self, due: Nanos) -> anyhow::Result<()> {
        let index = self.connections.len();
        let begun = clock::now();
        let sources = &self.target.sources;
        let source = index.checked_rem(sources.len()).map(|turn| sources[turn]);
        match Stream::connect(self.target.address, source) {
            Ok(stream) => {
                let mut transport = match &self.target.tls {
                    None => Transport::Plain(stream),
                    Some((config, name)) => {
                        Transport::Tls(Box::new(TlsStream::connect(stream, config, name)?))
                    }
                };
                transport.register(self.poll.registry(), Token(index))?;
                let connection = Connection::new(transport, due.min(begun), begun);
                self.connections.push(Some(connection));
                self.opening += 1;
                self.living += 1;
            }
            Err(error) => {
                let kind = FailureKind::Connect;
                self.seen.failures.record(kind, begun, || error.to_string());
                self.connections.push(None);
            }
        }
        Ok(())
    }

    /// Ends the connections that have not opened in time.
    fn give_up(&mut self, now: Nanos) {
        for slot in &mut self.connections {
            if slot
                .as_ref()
                .is_some_and(|connection| !connection.is_open())
            {
                *slot = None;
                self.living -= 1;
                self.seen.failures.record(FailureKind::Timeout, now, || {
                    "the opening handshake did not end in time".to_owned()
                });
            }
        }
        self.opening = 0;
    }

    /// Sends what is due, waits until something happens or is due, and takes it in.
    fn turn(&mut self, until: Nanos) -> anyhow::Result<()> {
        let turned_at = clock::now();
        let due = self.send_due()?;
        let wakes_at = due
            .map_or(until, |due| due.min(until))
            .min(self.seconds.ends_at())
            .min(clock::now() + INTERRUPTION_NS);
        let left_ns = wakes_at.saturating_sub(clock::now());
        let timeout = if left_ns < TOO_SOON_TO_SLEEP_NS {
            Some(Duration::ZERO)
        } else {
            self.timer.set(wakes_at)?;
            None
        };
        let mut events = std::mem::replace(&mut self.events, Events::with_capacity(0));
        let polled = self.poll.poll(&mut events, timeout);
        let taken_in = self.take_in(&events);
        if timeout.is_some() && events.is_empty() && self.turn_sent == 0 {
            self.spun_ns += clock::now() - turned_at;
        }
        self.turn_sent = 0;
        self.events = events;
        self.seconds.tell(self.workload.counts(), clock::now());
        match polled {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                Err(error).context("cannot poll")
            }
            _ => taken_in,
        }
    }

    fn take_in(&mut self, events: &Events) -> anyhow::Result<()> {
        for event in events {
            let Token(index) = event.token();
            let Some(Some(connection)) = self.connections.get_mut(index) else {
                continue;
            };
            if event.is_writable() {
                connection.set_writable();
            }
            let has_peer_ended = event.is_read_closed() || event.is_error();
            let exchanged = self.exchange(index, has_peer_ended);
            self.conclude(index, exchanged)?;
        }
        Ok(())
    }

    /// Sends what is due by now; returns when the next message is due.
    fn send_due(&mut self) -> anyhow::Result<Option<Nanos>> {
        let mut now = clock::now();
        while let Some((due, index)) = self.workload.next_due() {
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
            self.turn_sent += 1;
            now = clock::now();
        }
        Ok(None)
    }

    /// Takes in what one connection has, and sends what there is room for.
    fn exchange(&mut self, index: usize, has_peer_ended: bool) -> Result<(), End> {
        let Some(connection) = &mut self.connections[index] else {
            return Ok(());
        };
        connection.outbox.borrow_buffer(&mut self.shared.spare);
        if let Some(opening) = connection.open(&mut self.shared, clock::now())? {
            self.opening -= 1;
            self.seen.opened += 1;
            let cpu_ns = clock::thread_cpu();
            self.seen
                .first_opened
                .get_or_insert((opening.opened, cpu_ns));
            self.seconds.begin(opening.opened);
            if let Some(agreed) = connection.agreed() {
                self.seen.resumed += u64::from(agreed.is_resumed);
                self.seen.tls.get_or_insert(agreed);
            }
            self.seen.times.record(opening).map_err(End::Unrecorded)?;
            connection.receive_first(index, &mut self.workload, &mut self.shared)?;
        }
        if connection.is_open() || connection.outbox.is_closing() {
            connection.receive(index, has_peer_ended, &mut self.workload, &mut self.shared)?;
        }
        connection.flush(&mut self.shared)
    }

    /// Takes note of a connection that is over.
    fn conclude(&mut self, index: usize, result: Result<(), End>) -> anyhow::Result<()> {
        match result {
            Ok(()) => return Ok(()),
            Err(End::Unrecorded(error)) => return Err(error.into()),
            Err(End::Done) => {}
            Err(End::Failed(kind, text)) => {
                self.seen.failures.record(kind, clock::now(), || text);
            }
        }
        if let Some(mut connection) = self.connections[index].take() {
            if !connection.is_open() && !connection.outbox.is_closing() {
                self.opening -= 1;
            }
            // The closing frame that answers a violation goes out as far as it can.
            let _ = connection.flush(&mut self.shared);
            self.living -= 1;
        }
        self.workload.closed(index);
        Ok(())
    }

    /// Closes all connections, and waits for their peers to do the same.
    fn close_all(&mut self) -> anyhow::Result<()> {
        for index in 0..self.connections.len() {
            if let Some(connection) = &mut self.connections[index] {
                connection.outbox.close(close::NORMAL, random_bytes());
                let flushed = connection.flush(&mut self.shared);
                self.conclude(index, flushed)?;
            }
        }
        let ends_at = clock::now() + CLOSING_NS;
        while clock::now() < ends_at && self.living > 0 {
            self.turn(ends_at)?;
        }
        Ok(())
    }
}
