//! One thread of a client: its poller, its connections, its share of the schedule.

mod closing;
mod lingering_close;
mod opening;
mod slow;
mod turn;

use anyhow::Context;
use autostrada_measure::{Arrivals, Nanos};
use autostrada_net::{Events, Poll, Timer, Token, clock, limits};

use super::connection::{Connection, Dialer, Lane, Shared, Target};
use super::connection_stats::ConnectionStats;
use super::seconds::{Seconds, Tally};
use super::session::SessionConfig;
use super::start::{Start, Timetable};
use super::workload::Workload;
use lingering_close::LingeringClose;
use opening::Opener;

const TIMER: Token = Token(usize::MAX);

/// One buffer serves all connections of a thread; it fits into the second-level cache.
const READ_BYTES: usize = 256 * 1024;

/// How a thread works, beside its workload.
#[derive(Debug)]
pub struct WorkerConfig {
    /// When each connection is due, counted from the first instant.
    pub connecting: Arrivals,
    /// So many connections may be on their way to being open at once.
    pub connect_pending_max: usize,
    /// Where the seconds are reported.
    pub seconds: Seconds,
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
    /// What the timer was last set to.
    armed_at: Nanos,
    connections: Vec<Option<Connection>>,
    opener: Opener,
    lingering_close: LingeringClose,
    shared: Shared<'a>,
    workload: W,
    stats: ConnectionStats,
    seconds: Seconds,
    /// Connections begun, and not over.
    living: usize,
    events: Events,
    /// How long the thread has asked again instead of sleeping, and nothing had happened: it was
    /// not busy then, whatever its CPU time says.
    spun_ns: Nanos,
    /// Messages that were due and sent, and connections that read on, in this turn.
    turn_work: u32,
    /// Sockets whose turn was over before they were read up.
    unread: Vec<(usize, Lane)>,
    /// What is due from here on is not sent.
    has_stopped: bool,
    /// The trial is over: connections that end now were closed by us.
    is_closing: bool,
}

/// What a thread returns.
pub struct WorkerResult<W> {
    /// What its workload has recorded.
    pub workload: W,
    /// What it has counted of its connections.
    pub stats: ConnectionStats,
}

impl<'a, W: Workload> Worker<'a, W> {
    /// Prepares a thread.
    ///
    /// # Errors
    ///
    /// When the operating system has no descriptor left.
    pub fn new(
        target: &'a Target,
        session_config: SessionConfig<'a>,
        config: WorkerConfig,
        workload: W,
    ) -> anyhow::Result<Self> {
        if config.needs_own_table {
            limits::own_descriptor_table().context("cannot have a descriptor table of its own")?;
        }
        let poll = Poll::new()?;
        let timer = Timer::new()?;
        timer.register(poll.registry(), TIMER)?;
        let shared = Shared {
            session_config,
            dialer: Dialer::new(target, poll.registry().try_clone()?),
            writes_single_frames: config.writes_single_frames,
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
            armed_at: 0,
            connections: Vec::new(),
            opener: Opener::new(
                config.connecting,
                config.connect_pending_max,
                config.needs_polls,
            ),
            lingering_close: LingeringClose::default(),
            shared,
            workload,
            stats: ConnectionStats::default(),
            seconds: config.seconds,
            living: 0,
            events: Events::with_capacity(1024),
            spun_ns: 0,
            turn_work: 0,
            unread: Vec::new(),
            has_stopped: false,
            is_closing: false,
        })
    }

    /// Opens all connections, waits for the other threads, and does the work.
    ///
    /// # Errors
    ///
    /// When figures would be worthless: a duration that cannot be recorded, no descriptors.
    pub fn run(mut self, connections: usize, start: &Start) -> anyhow::Result<WorkerResult<W>> {
        let opened = self.open_all(connections, start);
        start.arrive();
        opened?;
        let timetable = self.agree(start)?;
        self.workload.begin(&timetable);
        while clock::now() < timetable.started_at && !self.workload.is_over() {
            self.turn(timetable.started_at)?;
        }
        let (cpu_before, spun_before) = (clock::thread_cpu(), self.spun_ns);
        for index in 0..self.connections.len() {
            self.start_one(index)?;
        }
        self.work_until_end(&timetable, start)?;
        self.stats.ended_at = clock::now().min(timetable.window.end);
        self.workload.stop_sending(self.stats.ended_at);
        self.send_last()?;
        self.stats.window_start = timetable.window.start;
        self.stats.cpu_ns = clock::thread_cpu();
        let spun_ns = self.spun_ns - spun_before;
        self.stats.busy_ns = (self.stats.cpu_ns - cpu_before).saturating_sub(spun_ns);
        while clock::now() < timetable.drained_at
            && self.workload.has_pending()
            && !start.is_interrupted()
        {
            self.turn(timetable.drained_at)?;
        }
        if !start.is_interrupted() {
            self.workload.give_up(clock::now());
        }
        self.close_all(start)?;
        self.shared.session_config.settle_shared();
        self.note_traffic();
        self.stats.granted = self.shared.session_config.granted;
        Ok(WorkerResult {
            workload: self.workload,
            stats: self.stats,
        })
    }

    /// Waits for the other threads; what comes in the meantime is taken in.
    fn agree(&mut self, start: &Start) -> anyhow::Result<Timetable> {
        loop {
            match start.timetable() {
                Ok(timetable) => return Ok(timetable),
                Err(ask_at) => self.turn(ask_at)?,
            }
        }
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
                self.begin_window();
            }
            self.turn(if has_window_begun {
                timetable.window.end
            } else {
                timetable.window.start
            })?;
        }
    }

    /// Drops all connections, or lets some be slow, where that is the workload.
    fn begin_window(&mut self) {
        if let Some(slow) = self.workload.slow_readers() {
            slow.begin(clock::now());
            for &index in slow.connections() {
                if let Some(connection) = &mut self.connections[index] {
                    connection.slow_down();
                }
            }
        }
        self.drop_all();
    }

    /// Whether anything is left to do in the window. What is due counts, also where the connection
    /// is gone that it is due for.
    fn has_work(&mut self) -> bool {
        let has_more = self.living > 0
            || self.workload.next_due().is_some()
            || self.workload.recovery().is_some();
        has_more && !self.workload.is_over()
    }

    fn start_one(&mut self, index: usize) -> anyhow::Result<()> {
        if let Some(connection) = self.connections[index].as_mut()
            && connection.is_open()
        {
            let now = clock::now();
            let outbox = &mut connection.outbox;
            outbox.borrow_buffer(&mut self.shared.spare);
            let waiting_bytes = outbox.waiting_bytes();
            self.workload.started(index, outbox, now)?;
            outbox.own_beyond(waiting_bytes);
            let flushed = connection.flush(index, &mut self.shared);
            self.conclude(index, flushed);
        }
        Ok(())
    }

    fn note_traffic(&mut self) {
        self.stats.read_bytes = self.shared.read_bytes;
        self.stats.read_calls = self.shared.read_calls;
        self.stats.written_bytes = self.shared.written_bytes;
        self.stats.write_calls = self.shared.write_calls;
    }

    fn report_seconds(&mut self) {
        let now = clock::now();
        if now >= self.seconds.ends_at() {
            self.note_traffic();
            let recorded = self.workload.recorded();
            let tally = Tally::of(recorded, &self.stats);
            self.seconds.report(tally, &mut recorded.latencies, now);
        }
    }
}
