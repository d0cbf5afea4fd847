//! The server: pushes messages, echoes messages, and sends a feed to subscribers.

mod accept_token;
mod connection;
mod fault;
mod feed;
mod protocol;
mod resources;
mod sending;
mod shared_counters;
mod usage_reader;
mod worker;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::time::Duration;

use anyhow::Context;
use autostrada_measure::{Nanos, Series};
use autostrada_net::tls::configure_server;
use autostrada_net::{Events, Listener, Poll, SocketOptions, Token, Waker, clock, limits};
use autostrada_proto::frame::Opcode;

use crate::command_channel::Command;
use crate::line::{self, Line};
use crate::observer_link::ObserverLink;
use crate::plan::{self, FramesPerWrite, PlanError, ServePlan, ServeProtocolKind, ServeWorkload};
use crate::send_buffer::SpareBuffers;
use accept_token::AcceptToken;
use fault::Faults;
use feed::{Feed, Rounds};
use protocol::{HandshakeConfig, SharedEncoders};
use resources::{Message, Resources};
use sending::{Count, Prepared};
use shared_counters::SharedCounters;
use usage_reader::UsageReader;
use worker::{Shared, Worker};

const COMMANDS: Token = Token(0);

/// Size of the read buffer of a thread, in bytes.
const READ_BYTES: usize = 64 * 1024;

/// Largest planned number of connections (`connections`) with which each subscriber of a feed gets
/// its own result line.
const MEASURED_SUBSCRIBERS_MAX: u64 = 1_000;

/// Time from the last subscriber's joining to the first message of a feed with an interval. It is
/// long enough to wake all threads.
const LEAD_NS: Nanos = 10_000_000;

/// The main thread of a server: starts the worker threads, passes commands on to them, and prints
/// one line per second while they send.
pub struct Server {
    poll: Poll,
    waker: Arc<Waker>,
    shared: Arc<Shared>,
    workers: Vec<Worker>,
    command_senders: Vec<Sender<Command>>,
    /// The time series; `None` while no message has been sent to the connected clients.
    series: Option<Series>,
    /// Total of all threads at the end of the last printed second.
    counted: Count,
    /// Whether the push is divided into slices, after whose end the thread ends.
    has_slices: bool,
    /// Whether the threads were told to end the slices.
    is_ending: bool,
}

impl Server {
    /// Listens at the address of the plan, and prints the `ready` line.
    ///
    /// Opens all descriptors that the threads share, because a thread with its own descriptor table
    /// cannot use descriptors that other threads open later.
    /// Returns an error if the address is invalid or in use, if the certificate or the key cannot
    /// be used, if no descriptor is left, or if stdout is closed.
    pub fn bind(plan: &ServePlan) -> anyhow::Result<Self> {
        limits::raise_descriptor_limit().context("cannot raise the limit of open files")?;
        let address = plan::resolve(&plan.listen)?;
        let listening = SocketOptions {
            congestion_control: plan.congestion_control.clone(),
            no_delay: plan.tcp.no_delay,
            send_buffer_bytes: plan.tcp.send_buffer_bytes,
            receive_buffer_bytes: plan.tcp.receive_buffer_bytes,
        };
        let listener = Listener::bind(address, &listening)
            .map_err(|error| PlanError::new(format!("cannot listen at {address}: {error}")))?;
        let tls = plan.tls.as_ref().map(|files| {
            configure_server(&files.certificate_file, &files.key_file)
                .map_err(|error| PlanError::new(format!("tls: {error}")))
        });
        let tls = tls.transpose()?;
        let url = format!("{}://{}", scheme(plan), listener.local_address()?);
        let poll = Poll::new()?;
        let waker = Arc::new(Waker::new(poll.registry(), COMMANDS)?);
        let polls = (0..plan.threads)
            .map(|_| Poll::new())
            .collect::<io::Result<Vec<_>>>()?;
        let wakers = polls
            .iter()
            .map(|poll| Waker::new(poll.registry(), worker::WAKER))
            .collect::<io::Result<Vec<_>>>()?;
        let ends_after = plan.connections.filter(|_| !plan.slices);
        let shared = Arc::new(Shared {
            counters: SharedCounters::new(plan.threads, ends_after, Arc::clone(&waker)),
            accept_token: AcceptToken::new(plan.threads),
            wakers,
            tls,
            observer: plan.observer.as_deref().map(ObserverLink::new),
        });
        let (workers, command_senders) = make_workers(plan, &listener, polls, &shared)?;
        line::print(&Line::Ready {
            format: plan::FORMAT,
            version: env!("AUTOSTRADA_VERSION"),
            url: &url,
        })?;
        Ok(Self {
            poll,
            waker,
            shared,
            workers,
            command_senders,
            series: None,
            counted: Count::default(),
            has_slices: plan.slices,
            is_ending: false,
        })
    }

    /// Returns the waker that makes [`run`](Self::run) read its commands.
    pub fn waker(&self) -> Arc<Waker> {
        Arc::clone(&self.waker)
    }

    /// Serves until the planned number of connections has ended or an `End` command arrives; in
    /// slices, until they and the connection have ended.
    ///
    /// Without `commands`, only the planned number of connections ends the server.
    /// Returns an error if a system call fails in any thread, if a thread panics, or if stdout is
    /// closed.
    pub fn run(&mut self, commands: Option<&Receiver<Command>>) -> anyhow::Result<()> {
        let has_own_tables = self.workers.len() > 1;
        for worker in self.workers.drain(..) {
            let shared = Arc::clone(&self.shared);
            std::thread::spawn(move || run_worker(worker, &shared, has_own_tables));
        }
        let mut events = Events::with_capacity(16);
        loop {
            match self.poll.poll(&mut events, self.timeout(clock::now())) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                    return Err(error).context("cannot poll");
                }
                _ => {}
            }
            if !self.has_slices {
                self.print_seconds(clock::now())?;
            }
            if let Some(error) = self.shared.counters.failure() {
                return Err(error);
            }
            if self.shared.counters.is_over() {
                return Ok(());
            }
            if let Some(commands) = commands
                && !self.forward_commands(commands)?
            {
                return Ok(());
            }
        }
    }

    fn timeout(&self, now: Nanos) -> Option<Duration> {
        let series = self.series.as_ref()?;
        Some(Duration::from_nanos(series.ends_at().saturating_sub(now)))
    }

    /// Passes pending commands on to all threads; returns whether the server continues.
    fn forward_commands(&mut self, commands: &Receiver<Command>) -> anyhow::Result<bool> {
        loop {
            let command = match commands.try_recv() {
                Ok(command) => command,
                Err(TryRecvError::Empty) => return Ok(true),
                Err(TryRecvError::Disconnected) => return Ok(self.is_ending),
            };
            command.check(self.has_slices)?;
            if matches!(command, Command::End(_)) {
                if !self.has_slices {
                    return Ok(false);
                }
                self.is_ending = true;
            }
            for (sender, waker) in self.command_senders.iter().zip(&self.shared.wakers) {
                // A thread that has failed has recorded its error.
                let _ = sender.send(command.clone());
                waker.wake().context("cannot wake a thread")?;
            }
        }
    }

    /// Prints the line of each second that has ended since the first message of the connected
    /// clients.
    fn print_seconds(&mut self, now: Nanos) -> anyhow::Result<()> {
        let Some(started_ns) = self.shared.counters.started_ns() else {
            self.series = None;
            self.counted = self.shared.counters.total();
            return Ok(());
        };
        let series = self.series.get_or_insert_with(|| Series::new(started_ns));
        while let Some(second) = series.finish(now) {
            let total = self.shared.counters.total();
            line::print(&Line::Second {
                second,
                messages: total.messages - self.counted.messages,
                bytes: total.bytes - self.counted.bytes,
            })?;
            self.counted = total;
        }
        Ok(())
    }
}

fn run_worker(mut worker: Worker, shared: &Shared, has_own_tables: bool) {
    if has_own_tables
        && let Err(error) = limits::copy_descriptor_table()
        && worker.is_first()
    {
        crate::log(&format!(
            "all threads share one descriptor table, because this system refuses a separate table \
             for each thread: {error}"
        ));
    }
    // In builds in which a panic does not abort the process, such as tests.
    let result = catch_unwind(AssertUnwindSafe(|| worker.run()));
    match result.unwrap_or_else(|_| Err(anyhow::anyhow!("a thread panicked"))) {
        Ok(()) => shared.counters.finish(),
        Err(error) => shared.counters.fail(error),
    }
}

fn scheme(plan: &ServePlan) -> &'static str {
    match (plan.protocol.kind, plan.tls.is_some()) {
        (ServeProtocolKind::Websocket, false) => "ws",
        (ServeProtocolKind::Websocket, true) => "wss",
        (ServeProtocolKind::FramedTcp, false) => "tcp",
        (ServeProtocolKind::FramedTcp, true) => "tls",
    }
}

/// Creates the workers, and for each the channel for its commands.
fn make_workers(
    plan: &ServePlan,
    listener: &Listener,
    polls: Vec<Poll>,
    shared: &Arc<Shared>,
) -> anyhow::Result<(Vec<Worker>, Vec<Sender<Command>>)> {
    let handshake = Arc::new(HandshakeConfig::new(plan));
    let message = Arc::new(message(plan, &handshake)?);
    let measures_subscribers = plan
        .connections
        .is_some_and(|connections| connections <= MEASURED_SUBSCRIBERS_MAX);
    let rounds = plan.feed.as_ref().map(|feed| {
        let lead_ns = feed.interval_ns().map_or(0, |_| LEAD_NS);
        Arc::new(Rounds::new(feed.subscribers, lead_ns))
    });
    let writes_single_frames = message.frames_per_write == FramesPerWrite::One;
    let (mut workers, mut command_senders) = (Vec::new(), Vec::new());
    for (number, poll) in polls.into_iter().enumerate() {
        let feed = plan.feed.as_ref().zip(rounds.as_ref());
        let (sender, commands) = channel();
        command_senders.push(sender);
        let resources = Resources {
            encoders: SharedEncoders::new(Arc::clone(&handshake)),
            message: Arc::clone(&message),
            measures_subscribers,
            usage_reader: UsageReader::new(plan.hold_until_observing),
            read_buffer: vec![0; READ_BYTES],
            spare_inputs: SpareBuffers::default(),
            spare_outputs: SpareBuffers::default(),
            faults: plan.faults.as_ref().map(|plan| Box::new(Faults::new(plan))),
            index: 0,
            has_joined: false,
        };
        workers.push(Worker::new(
            number,
            poll,
            listener.try_clone()?,
            commands,
            resources,
            feed.map(|(feed, rounds)| Feed::new(feed, Arc::clone(rounds), writes_single_frames)),
            Arc::clone(shared),
        )?);
    }
    Ok((workers, command_senders))
}

fn message(plan: &ServePlan, handshake: &HandshakeConfig) -> Result<Message, PlanError> {
    let ServeWorkload::Push {
        payload,
        frames_per_write,
        ..
    } = &plan.workload;
    let (is_text, payload) = payload.decode()?;
    let opcode = if is_text {
        Opcode::Text
    } else {
        Opcode::Binary
    };
    let payload_bytes = payload.len() as u64;
    let frame = handshake.plain_frame(opcode, &payload);
    Ok(Message {
        opcode,
        payload,
        frames_per_write: *frames_per_write,
        push_ns: plan.workload.push_ns(),
        has_slices: plan.slices,
        pings: plan.workload.pings().cloned(),
        prepared: Arc::new(Prepared::new(&frame, payload_bytes, *frames_per_write)),
    })
}
