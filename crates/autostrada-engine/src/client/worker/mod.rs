//! One thread of a client: its poller, its connections, its share of the schedule.

mod opening;
mod recovery;
mod seen;
mod slow;

use std::io;
use std::time::Duration;

use anyhow::Context;
use autostrada_measure::{Arrivals, FailureKind, Nanos};
use autostrada_net::{Events, Poll, Timer, Token, clock, limits};
use autostrada_proto::close;

use super::connection::{Connection, Dialer, Lane, Received, Shared, Target};
use super::end::End;
use super::seconds::{Seconds, Tally};
use super::session::Terms;
use super::start::{Start, Timetable};
use super::workload::Workload;
use opening::Opener;
pub use recovery::{Recovered, Recovery};
pub use seen::Seen;
pub use slow::SlowReaders;

const TIMER: Token = Token(usize::MAX);

/// One buffer serves all connections of a thread; it fits into the second-level cache.
const READ_BYTES: usize = 256 * 1024;

/// Closer than this a due message is waited for by asking again, not by sleeping.
const TOO_SOON_TO_SLEEP_NS: Nanos = 20_000;

/// How long the closing handshakes may take in all.
const CLOSING_NS: Nanos = 1_000_000_000;

/// How long an interruption may go unnoticed.
const INTERRUPTION_NS: Nanos = 500_000_000;

/// What a thread is to do beside its workload.
#[derive(Debug)]
pub struct Duties {
    /// When each connection is due, counted from the first instant.
    pub connecting: Arrivals,
    /// Where the seconds are told.
    pub seconds: Seconds,
    /// Where connections drop and come back.
    pub recovery: Option<Recovery>,
    /// Where some connections are slow.
    pub slow: Option<SlowReaders>,
    /// Whether one table of descriptors is too small for all threads. It is asked for only then,
    /// as some containers forbid it.
    pub needs_own_table: bool,
    /// Whether long-polling needs a second socket for each connection.
    pub needs_polls: bool,
    /// Whether each frame goes out by a system call of its own.
    pub writes_single_frames: bool,
}

/// One thread.
pub struct Worker<'a, W: Workload> {
    poll: Poll,
    timer: Timer,
    connections: Vec<Option<Connection>>,
    opener: Opener,
    recovery: Option<Recovery>,
    slow: Option<SlowReaders>,
    shared: Shared<'a>,
    workload: W,
    seen: Seen,
    seconds: Seconds,
    /// Connections begun, and not over.
    living: usize,
    events: Events,
    /// How long the thread has asked again instead of sleeping, and nothing had happened: it was
    /// not busy then, whatever its CPU time says.
    spun_ns: Nanos,
    /// Messages that were due and sent in this turn.
    turn_sent: u32,
    /// The trial is over: connections that end now were closed by us.
    is_closing: bool,
}

/// What a thread brings home.
pub struct Worked<W> {
    /// What its workload has recorded.
    pub workload: W,
    /// What it has seen beside.
    pub seen: Seen,
    /// Of connections that were dropped.
    pub recovered: Option<Recovered>,
}

impl<'a, W: Workload> Worker<'a, W> {
    /// Prepares a thread.
    ///
    /// # Errors
    ///
    /// When the operating system has no descriptor left.
    pub fn new(
        target: &'a Target,
        terms: Terms<'a>,
        duties: Duties,
        workload: W,
    ) -> anyhow::Result<Self> {
        if duties.needs_own_table {
            limits::own_descriptor_table().context("cannot have a descriptor table of its own")?;
        }
        let poll = Poll::new()?;
        let timer = Timer::new()?;
        timer.register(poll.registry(), TIMER)?;
        let shared = Shared {
            terms,
            dialer: Dialer::new(target, poll.registry().try_clone()?),
            writes_single_frames: duties.writes_single_frames,
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
            connections: Vec::new(),
            opener: Opener::new(duties.connecting, duties.needs_polls),
            recovery: duties.recovery,
            slow: duties.slow,
            shared,
            workload,
            seen: Seen::default(),
            seconds: duties.seconds,
            living: 0,
            events: Events::with_capacity(1024),
            spun_ns: 0,
            turn_sent: 0,
            is_closing: false,
        })
    }

    /// Opens all connections, waits for the other threads, and does the work.
    ///
    /// # Errors
    ///
    /// When figures would be worthless: a duration that cannot be recorded, no descriptors.
    pub fn run(mut self, connections: usize, start: &Start) -> anyhow::Result<Worked<W>> {
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
        self.work_until_end(&timetable, start)?;
        self.seen.ended_at = clock::now().min(timetable.window.end);
        self.is_closing = true;
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
        if !start.is_interrupted() {
            self.workload.give_up(clock::now());
        }
        self.close_all()?;
        self.shared.terms.settle_shared();
        self.note_traffic();
        self.seen.granted = self.shared.terms.granted;
        Ok(Worked {
            workload: self.workload,
            seen: self.seen,
            recovered: self.recovery.map(|recovery| recovery.recovered),
        })
    }

    fn work_until_end(&mut self, timetable: &Timetable, start: &Start) -> anyhow::Result<()> {
        let mut has_window_begun = false;
        loop {
            let now = clock::now();
            if now >= timetable.window.end || !self.has_work() || start.is_interrupted() {
                return Ok(());
            }
            if !has_window_begun && now >= timetable.window.start {
                has_window_begun = true;
                self.begin_window()?;
            }
            self.turn(if has_window_begun {
                timetable.window.end
            } else {
                timetable.window.start
            })?;
        }
    }

    /// Drops all connections, or lets some be slow, where that is the workload.
    fn begin_window(&mut self) -> anyhow::Result<()> {
        if let Some(slow) = &mut self.slow {
            slow.begin(clock::now());
            for &index in slow.connections() {
                if let Some(connection) = &mut self.connections[index] {
                    connection.slow_down();
                }
            }
        }
        if self.recovery.is_some() {
            self.drop_all()?;
        }
        Ok(())
    }

    /// Whether anything is left to do in the window. What is due counts, also where the connection
    /// is gone that it is due for.
    fn has_work(&self) -> bool {
        let has_more =
            self.living > 0 || self.workload.next_due().is_some() || self.recovery.is_some();
        has_more && !self.workload.is_over()
    }

    fn start_one(&mut self, index: usize) -> anyhow::Result<()> {
        if let Some(connection) = self.connections[index].as_mut()
            && connection.is_open()
        {
            let now = clock::now();
            connection.outbox.borrow_buffer(&mut self.shared.spare);
            self.workload.started(index, &mut connection.outbox, now)?;
            let flushed = connection.flush(&mut self.shared);
            self.conclude(index, flushed)?;
        }
        Ok(())
    }

    /// Sends what is due, waits until something happens or is due, and takes it in.
    fn turn(&mut self, until: Nanos) -> anyhow::Result<()> {
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
        self.tell_seconds();
        match polled {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                Err(error).context("cannot poll")
            }
            _ => taken_in,
        }
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
            self.receive(index, has_peer_ended, usize::MAX)?;
        }
        match &mut self.connections[index] {
            Some(connection) => connection.flush(&mut self.shared),
            None => Ok(()),
        }
    }

    fn receive(&mut self, index: usize, has_peer_ended: bool, bytes_max: usize) -> Result<(), End> {
        while let Some(connection) = &mut self.connections[index] {
            let leaves_all = connection.is_slow() && bytes_max == usize::MAX;
            if !connection.is_ready() || leaves_all {
                if leaves_all && has_peer_ended {
                    let text = "the peer ended a connection that reads slowly".to_owned();
                    return Err(End::Failed(FailureKind::Close, text));
                }
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
                Received::Opened(at) => self.open_one(index, at)?,
            }
        }
        Ok(())
    }

    fn exchange_polls(&mut self, index: usize) -> Result<(), End> {
        while let Some(connection) = &mut self.connections[index] {
            let received = connection.receive_polls(index, &mut self.workload, &mut self.shared)?;
            match received {
                Received::All => return Ok(()),
                Received::Opened(at) => self.open_one(index, at)?,
            }
            connection_flush(&mut self.connections[index], &mut self.shared)?;
        }
        Ok(())
    }

    /// Takes note of a connection that is over.
    fn conclude(&mut self, index: usize, result: Result<(), End>) -> anyhow::Result<()> {
        let now = match result {
            Ok(()) => return Ok(()),
            Err(End::Unrecorded(error)) => return Err(error.into()),
            Err(end) => {
                let now = clock::now();
                self.note_end(end, now);
                now
            }
        };
        self.remove(index);
        if !self.is_closing {
            self.seen.closed += 1;
            if let Some(recovery) = &mut self.recovery {
                recovery.lose(index, now);
            }
        }
        Ok(())
    }

    fn note_end(&mut self, end: End, now: Nanos) {
        let failures = &mut self.seen.failures;
        match end {
            End::Done | End::Unrecorded(_) => {}
            End::Closed(code) if self.workload.expects_close(code) || self.is_closing => {}
            End::Closed(code) => failures.record(FailureKind::Close, now, || {
                format!("the peer closed the connection with code {code}")
            }),
            End::Failed(kind, text) => failures.record(kind, now, || text),
        }
    }

    /// Lets go of a connection.
    fn remove(&mut self, index: usize) {
        if let Some(mut connection) = self.connections[index].take() {
            self.opener.opening -= usize::from(connection.is_opening());
            // The closing frame that answers a violation goes out as far as it can.
            let _ = connection.flush(&mut self.shared);
            connection.settle(&mut self.shared.terms);
            self.living -= 1;
        }
        self.workload.closed(index);
    }

    /// Closes all connections, and waits for their peers to do the same.
    fn close_all(&mut self) -> anyhow::Result<()> {
        self.recovery_ends();
        for index in 0..self.connections.len() {
            let Some(connection) = &mut self.connections[index] else {
                continue;
            };
            if connection.is_slow() {
                self.seen.slow_unread_bytes += connection.unread_bytes();
            }
            if connection.is_slow() || connection.is_opening() {
                self.remove(index);
                continue;
            }
            connection.outbox.close(close::NORMAL);
            let flushed = connection.flush(&mut self.shared);
            self.conclude(index, flushed)?;
        }
        let ends_at = clock::now() + CLOSING_NS;
        while clock::now() < ends_at && self.living > 0 {
            self.turn(ends_at)?;
        }
        for index in 0..self.connections.len() {
            self.remove(index);
        }
        Ok(())
    }

    fn note_traffic(&mut self) {
        self.seen.read_bytes = self.shared.read_bytes;
        self.seen.read_calls = self.shared.read_calls;
        self.seen.written_bytes = self.shared.written_bytes;
        self.seen.write_calls = self.shared.write_calls;
    }

    fn tell_seconds(&mut self) {
        let now = clock::now();
        if now >= self.seconds.ends_at() {
            self.note_traffic();
            let recorded = self.workload.recorded();
            self.seconds
                .tell(Tally::of(recorded, &self.seen), recorded, now);
        }
    }
}

fn connection_flush(slot: &mut Option<Connection>, shared: &mut Shared<'_>) -> Result<(), End> {
    match slot {
        Some(connection) => connection.flush(shared),
        None => Ok(()),
    }
}
