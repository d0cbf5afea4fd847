//! One thread of a client: its poller, its connections, its share of the schedule.

mod accepting;
mod batched;
mod closing;
mod heartbeats;
mod lingering_close;
mod opening;
mod pings;
mod slices;
mod slow;
mod turn;
mod waiting;

use std::sync::Arc;

use autostrada_measure::{Arrivals, Nanos};
use autostrada_net::{Batch, Events, Poll, Timer, Token, clock};

use super::connection::{Accepting, Connection, Dialer, Shared, Target};
use super::connection_stats::{ConnectionStats, SocketTraffic};
use super::pace::Pace;
use super::seconds::{Seconds, Tally};
use super::session::SessionConfig;
use super::slices::Slices;
use super::start::Start;
use super::timetable::Timetable;
use super::workload::{Records, Workload};
use crate::busy_poll::BusyPoll;
use crate::observer_link::ObserverLink;
use crate::send_buffer::SpareBuffers;
use accepting::LISTENER;
use heartbeats::Heartbeats;
use lingering_close::LingeringClose;
use opening::Opener;
use pings::Pings;
use slices::WAKE;
use turn::EVENTS_PER_SEND;

const TIMER: Token = Token(usize::MAX);

/// Size of the read buffer that all connections of a thread share; it fits into the L2 cache.
const READ_BYTES: usize = 256 * 1024;

/// The settings of a thread that do not depend on its workload.
#[derive(Debug)]
pub struct WorkerConfig {
    /// Instants at which connections are due, relative to the first one.
    pub connecting: Arrivals,
    /// Maximum time in which one connection opens; `None` without a limit.
    pub connect_timeout_ns: Option<Nanos>,
    /// Maximum number of connections that are being opened at the same time.
    pub connect_pending_max: usize,
    /// Reports the counts of each second, unless there are slices.
    pub seconds: Seconds,
    /// The slices of the load, and the index of the thread; `None` if the load has one window.
    pub slices: Option<(Slices, usize)>,
    /// Whether no further connection is opened once the server takes no more.
    pub stops_if_full: bool,
    /// Time for which a thread polls before it sleeps, in nanoseconds.
    pub busy_poll_ns: Nanos,
    /// Whether each frame is written with its own system call.
    pub writes_single_frames: bool,
    /// The observer that is told of open connections; `None` without one.
    pub observer: Option<Arc<ObserverLink>>,
    /// Time between two WebSocket pings of a connection; `None` without pings.
    pub ping_every_ns: Option<Nanos>,
    /// How much faster than planned scheduled messages are due.
    pub pace: Pace,
}

/// One thread of a client.
pub struct Worker<'a, W: Workload> {
    poll: Poll,
    timer: Timer,
    /// Instant to which the timer was last set.
    armed_at: Nanos,
    config: WorkerConfig,
    connections: Vec<Option<Connection>>,
    opener: Opener,
    /// Where the connections of a server are awaited; `None` as the client, and when all are open.
    accepting: Option<Accepting>,
    heartbeats: Heartbeats,
    lingering_close: LingeringClose,
    shared: Shared<'a>,
    workload: W,
    stats: ConnectionStats,
    /// Records of the slices that do not count, once there was one.
    uncounted: Option<Box<(Records, W::Counts)>>,
    /// Number of connections that were started and have not ended.
    active_connections: usize,
    events: Events,
    busy_poll: BusyPoll,
    /// CPU time of the thread without busy waiting, at its last report.
    busy_ns: Nanos,
    /// Number of messages sent and connections read again in this turn.
    turn_work: u32,
    /// Connections that were read from and have not been written to since.
    unflushed: Vec<usize>,
    /// Executes the reads, and then the writes, of the connections of several events.
    batch: Batch,
    /// Connections that reached the read limit of their turn before all bytes were read.
    unread: Vec<usize>,
    /// Whether sending has stopped: messages that become due are not sent.
    has_stopped: bool,
    /// Whether the trial is over, and connections are closed by this side.
    is_closing: bool,
    /// The pings of the window; `None` before it, or without pings.
    pings: Option<Pings>,
    /// The factor of the pace by which messages are due.
    factor: f64,
}

/// The result of a thread.
pub struct WorkerResult<W> {
    /// The workload, with its records.
    pub workload: W,
    /// Statistics of the thread's connections.
    pub stats: ConnectionStats,
}

impl<'a, W: Workload> Worker<'a, W> {
    /// Creates the poller, the timer and the shared buffers of a thread.
    pub fn new(
        target: &'a Target,
        session_config: SessionConfig<'a>,
        config: WorkerConfig,
        workload: W,
        mut accepting: Option<Accepting>,
    ) -> anyhow::Result<Self> {
        let poll = Poll::new()?;
        let timer = Timer::new()?;
        timer.register(poll.registry(), TIMER)?;
        if let Some(accepting) = &mut accepting {
            accepting.listener.register(poll.registry(), LISTENER)?;
        }
        if let Some((slices, thread)) = &config.slices {
            slices.timer(*thread).register(poll.registry(), WAKE)?;
        }
        let shared = Shared {
            session_config,
            dialer: Dialer::new(target, poll.registry().try_clone()?),
            writes_single_frames: config.writes_single_frames,
            buffer: vec![0; READ_BYTES],
            spares: SpareBuffers::default(),
            traffic: SocketTraffic::default(),
        };
        Ok(Self {
            poll,
            timer,
            armed_at: 0,
            connections: Vec::new(),
            opener: Opener::default(),
            accepting,
            heartbeats: Heartbeats::default(),
            lingering_close: LingeringClose::default(),
            shared,
            workload,
            stats: ConnectionStats::default(),
            uncounted: None,
            active_connections: 0,
            events: Events::with_capacity(1024),
            busy_poll: BusyPoll::new(config.busy_poll_ns),
            busy_ns: 0,
            turn_work: 0,
            unflushed: Vec::with_capacity(EVENTS_PER_SEND),
            batch: Batch::new(),
            unread: Vec::new(),
            has_stopped: false,
            is_closing: false,
            pings: None,
            factor: config.pace.factor(),
            config,
        })
    }

    /// Opens or accepts all connections, waits for the other threads, runs the workload and closes all
    /// connections.
    /// Returns an error if the results would be invalid: a duration is out of range, or polling
    /// fails.
    pub fn run(mut self, connections: usize, start: &Start<'_>) -> anyhow::Result<WorkerResult<W>> {
        let opened = if self.accepting.is_some() {
            self.accept_all(connections, start)
        } else {
            self.open_all(connections, start)
        };
        start.arrive();
        opened?;
        if let Some(slices) = start.slices() {
            self.carry_out(slices, start)?;
        } else {
            let timetable = self.await_timetable(start)?;
            self.workload.begin(&timetable);
            self.config.seconds.report_start(&timetable);
            while clock::now() < timetable.started_at && !self.workload.is_over() {
                self.turn(timetable.started_at)?;
            }
            self.exchange(&timetable, start)?;
        }
        self.await_surplus(start)?;
        if !start.is_interrupted() {
            self.workload.give_up(clock::now());
        }
        self.close_all(start)?;
        self.shared.session_config.count_shared_traffic();
        self.stats.traffic = self.shared.traffic;
        self.stats.granted = self.shared.session_config.granted;
        Ok(WorkerResult {
            workload: self.workload,
            stats: self.stats,
        })
    }

    /// Sends until the end of the window, and awaits outstanding answers.
    fn exchange(&mut self, timetable: &Timetable, start: &Start<'_>) -> anyhow::Result<()> {
        let (cpu_before, spun_before) = (clock::thread_cpu(), self.busy_poll.spun_ns);
        for index in 0..self.connections.len() {
            self.start_one(index)?;
        }
        self.work_until_end(timetable, start)?;
        self.stats.ended_at = clock::now().min(timetable.window.end);
        self.workload.stop_sending(self.stats.ended_at);
        self.pings = None;
        if let Some(recovery) = self.workload.recovery() {
            recovery.drop_due = None;
        }
        self.send_last()?;
        self.stats.window_start = timetable.window.start;
        self.stats.cpu_ns = clock::thread_cpu();
        let spun_ns = self.busy_poll.spun_ns - spun_before;
        self.stats.busy_ns = (self.stats.cpu_ns - cpu_before).saturating_sub(spun_ns);
        let drained_at = self.stats.ended_at + timetable.drain_ns();
        while clock::now() < drained_at && self.awaits_answers() && !start.is_interrupted() {
            self.turn(drained_at)?;
        }
        Ok(())
    }

    /// Waits for the other threads while processing received messages; returns the timetable.
    fn await_timetable(&mut self, start: &Start<'_>) -> anyhow::Result<Timetable> {
        loop {
            match start.timetable() {
                Ok(timetable) => return Ok(timetable),
                Err(check_at) => self.turn(check_at)?,
            }
        }
    }

    fn work_until_end(&mut self, timetable: &Timetable, start: &Start<'_>) -> anyhow::Result<()> {
        // Nothing can be sent, also if messages are scheduled.
        if start.opened() == 0 && self.workload.recovery().is_none() {
            return Ok(());
        }
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

    /// Waits for messages that come although each message has its answer, if the workload counts them.
    fn await_surplus(&mut self, start: &Start<'_>) -> anyhow::Result<()> {
        let Some(until) = self.workload.await_surplus(clock::now()) else {
            return Ok(());
        };
        while clock::now() < until
            && self.active_connections > 0
            && !self.workload.is_surplus_ample()
            && !start.is_interrupted()
        {
            self.turn(until)?;
        }
        Ok(())
    }

    /// Whether messages or pings are not answered.
    fn awaits_answers(&mut self) -> bool {
        self.workload.has_pending() || self.workload.records().round_trips.is_awaiting()
    }

    /// Slows down or drops connections if the workload requires it.
    fn begin_window(&mut self) {
        if let Some(slow) = self.workload.slow_readers() {
            slow.begin(clock::now());
            for &index in slow.connections() {
                if let Some(connection) = &mut self.connections[index] {
                    connection.is_slow = true;
                }
            }
        }
        self.drop_all();
        let every_ns = self.config.ping_every_ns;
        self.pings =
            every_ns.map(|every_ns| Pings::new(every_ns, self.connections.len(), clock::now()));
    }

    /// Whether anything is left to do in the window. A message that is due counts even if its
    /// connection has ended.
    fn has_work(&mut self) -> bool {
        let has_more = self.active_connections > 0
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
            outbox.borrow_buffer(&mut self.shared.spares);
            let waiting_bytes = outbox.waiting_bytes();
            self.workload.started(index, outbox, now)?;
            outbox.count_own_bytes(waiting_bytes);
            let flushed = connection.flush(index, &mut self.shared);
            self.conclude(index, flushed);
        }
        Ok(())
    }

    fn report_seconds(&mut self) {
        let now = clock::now();
        if now >= self.config.seconds.ends_at() {
            self.stats.traffic = self.shared.traffic;
            self.busy_ns = self.busy_ns.max(self.working_ns());
            let records = self.workload.records();
            let tally = Tally::of(records, &self.stats, self.busy_ns);
            self.config
                .seconds
                .report(tally, &mut records.latencies, now);
        }
    }
}
