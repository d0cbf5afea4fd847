//! The engine as a client: threads that each open and drive a share of the connections.

mod buckets;
mod connection;
mod connection_stats;
mod control;
mod end;
mod interruption;
mod merge;
mod pace;
mod plan;
mod preflight;
mod result;
mod seconds;
mod sending;
mod session;
mod slices;
mod start;
mod template;
mod timetable;
mod worker;
mod workload;

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use anyhow::Context;
use autostrada_measure::{Nanos, Share};
use autostrada_net::{clock, limits};

use crate::busy_poll;
use crate::observer_link::ObserverLink;
use crate::plan::{self as plans, FramesPerWrite, PlanError, UsersPlan};
pub use buckets::Buckets;
pub use control::Control;
pub use interruption::Interruption;
pub use merge::Merge;
pub use plan::LoadPlan;
pub use result::{FailureRow, LoadResult, PingsRow};
use result::{LoadSum, Scope};
pub use seconds::{LoadSecond, Tally};
use seconds::{SecondsSum, ThreadEvent};
use session::{RequestTemplate, SessionConfig};
pub use slices::Slices;
use start::Start;
use timetable::Durations;
pub use timetable::Timetable;
use worker::{Worker, WorkerConfig, WorkerResult};
pub use workload::{Answers, DeliveriesRow, ExchangeRow, RecoveryRow};
use workload::{Kind, Latencies, Sections, Thread, Visitor};

/// Time for which the printer sleeps after a step, which takes about 0.1 ms.
const PRINTER_PAUSE: Duration = Duration::from_millis(1);

/// Time after which it is reported that connections are being opened.
const OPENING_REPORTED_AFTER_NS: Nanos = 1_000_000_000;

/// Time between two such reports.
const OPENING_REPORTED_EVERY_NS: Nanos = 5_000_000_000;

/// An event of a load, reported to the caller of [`run`].
#[derive(Debug)]
pub enum Event<'a> {
    /// All checks have passed, and the first connection is about to be opened, or awaited at this
    /// URL.
    Ready(&'a str),
    /// Connections are still being opened: reported after a second, and again every few seconds.
    Opening {
        /// Number of connections that have opened.
        opened: u64,
        /// Number of connections that are to open.
        connections: u64,
    },
    /// All connections are open, or their time is over, and the start is awaited.
    Opened,
    /// All connections are open, or their time is over: the workload begins.
    Started(&'a Timetable),
    /// All threads have counted a second.
    Second(&'a LoadSecond),
    /// The load has ended.
    Result(&'a LoadResult),
}

/// Receives each event, in the thread in which it occurs.
pub type Reporter<'a> = &'a (dyn Fn(&Event<'_>) -> io::Result<()> + Sync);

/// Executes a plan until it is complete or interrupted, and reports its events.
/// Returns an error if the plan cannot be executed, or if its results would be invalid.
pub fn run(plan: &LoadPlan, control: &Control, report: Reporter<'_>) -> anyhow::Result<()> {
    let trial = Trial {
        plan,
        scope: scope(plan)?,
        control,
        report,
    };
    plan.workload.visit(&trial)
}

/// Returns the values of the plan that the result is computed from.
fn scope(plan: &LoadPlan) -> Result<Scope<'_>, PlanError> {
    let limit_ns = plan.limit_s.saturating_mul(1_000_000_000);
    let workload = plan.workload.plan();
    let durations = workload.phases().map_or(
        Durations {
            opening_ns: limit_ns,
            warm_up_ns: 0,
            window_ns: limit_ns,
            drain_ns: 0,
            limit_ns,
        },
        |phases| Durations {
            opening_ns: plans::nanos(phases.opening_s),
            warm_up_ns: plans::nanos(phases.warm_up_s),
            // The slices are as long as their commands say.
            window_ns: if plan.slices {
                0
            } else {
                plans::nanos(phases.window_s)
            },
            drain_ns: plans::nanos(phases.drain_s),
            limit_ns: Nanos::MAX,
        },
    );
    Ok(Scope {
        plan,
        durations,
        messages: workload
            .messages()
            .map(|messages| messages.saturating_mul(plan.shares().connections())),
        schedule: workload.schedule(plan.connections)?,
    })
}

/// A plan that is being executed.
struct Trial<'a> {
    plan: &'a LoadPlan,
    scope: Scope<'a>,
    control: &'a Control,
    report: Reporter<'a>,
}

impl Visitor for &Trial<'_> {
    type Output = anyhow::Result<()>;

    /// Runs all threads and reports the result.
    fn visit<K: Kind>(self, kind: &K, sections: fn(K::Section) -> Sections) -> Self::Output {
        let opened = || {
            // If the line cannot be printed, nothing reads stdout any more: end the trial.
            if (self.report)(&Event::Opened).is_err() {
                self.control.interruption.set();
            }
            if let Some(slices) = &self.control.slices {
                slices.open();
            }
        };
        let start = Start::new(
            self.plan.threads,
            self.scope.durations,
            self.control,
            (self.plan.awaits_start || self.plan.slices).then_some(&opened),
        );
        let mut sum = LoadSum::default();
        let (workers, latencies) = self.work(&start, kind)?;
        for worker in workers {
            sum.merge(worker, &self.scope);
        }
        sum.add(&latencies);
        if let Some(error) = start.slices().and_then(Slices::take_error) {
            return Err(error.into());
        }
        let result = sum.result(&self.scope, kind, sections, start.is_interrupted())?;
        (self.report)(&Event::Result(&result))?;
        Ok(())
    }
}

impl Trial<'_> {
    /// Runs all threads until their last connection is closed, and reports each second.
    fn work<K: Kind>(
        &self,
        start: &Start<'_>,
        kind: &K,
    ) -> anyhow::Result<(Vec<WorkerResult<K::Workload>>, Latencies)> {
        let plan = self.plan;
        let url = plan.url()?;
        let target = preflight::target(plan, &url)?;
        let needs_own_table = preflight::check(plan, &url, &target)?;
        let offer = plan.compression.map(|plan| plan.offer()).transpose()?;
        let users = plan.users.as_ref().map(UsersPlan::read).transpose()?;
        let users = users.map(Arc::new);
        let template = RequestTemplate::new(plan, &url, offer, users.clone())?;
        SessionConfig::new(
            plan,
            &template,
            &template.fields(),
            plan.shares().of_thread(0),
        )
        .map_err(|error| PlanError::new(format!("url or request: {error}")))?;
        plan.connecting()?;
        let (mut accepting, shown_url) = preflight::accepting(plan, &url)?;
        (self.report)(&Event::Ready(&shown_url))?;
        let (seconds, events, sum) = seconds::seconds(plan.threads);
        let observer = plan
            .observer
            .as_deref()
            .map(ObserverLink::new)
            .map(Arc::new);
        thread::scope(|scope| {
            let threads: Vec<_> = seconds
                .into_iter()
                .enumerate()
                .map(|(index, seconds)| {
                    let (target, template) = (&target, &template);
                    // A server has one thread.
                    let accepting = accepting.take();
                    let (observer, users) = (observer.clone(), users.clone());
                    scope.spawn(move || {
                        let share = plan.shares().of_thread(index);
                        let fields = template.fields();
                        let prepared = || -> anyhow::Result<_> {
                            // The listener of a server is open before.
                            if accepting.is_none() {
                                use_own_descriptors(needs_own_table, plan.slices)?;
                            }
                            let session_config =
                                SessionConfig::new(plan, template, &fields, share)?;
                            let workload = kind.workload(Thread {
                                share,
                                all_connections: plan.connections,
                                protocol: &plan.protocol,
                                is_compressed: plan.compression.is_some(),
                                encoding: &mut session_config.plain_encoding(),
                                users,
                            })?;
                            let config = self.worker_config(share, seconds, observer, index)?;
                            Worker::new(target, session_config, config, workload, accepting)
                        };
                        let worker = prepared().inspect_err(|_| start.arrive());
                        let result = worker.and_then(|each| each.run(connections(share), start));
                        if let (Err(_), Some(slices)) = (&result, start.slices()) {
                            slices.end(Ok(()));
                        }
                        result
                    })
                })
                .collect();
            // A lowered priority cannot be raised again, so the printer has its own thread: the
            // result is printed at normal priority.
            let printer = scope.spawn(move || {
                // If a line cannot be printed, nothing reads stdout any more: end the trial.
                report_seconds(&events, sum, &|| self.report_opening(start), self.report)
                    .inspect_err(|_| self.control.interruption.set())
            });
            let workers: anyhow::Result<_> = threads.into_iter().map(join).collect();
            let latencies = join(printer)?;
            Ok((workers?, latencies))
        })
    }

    /// Reports how many connections have opened, unless all have.
    fn report_opening(&self, start: &Start<'_>) -> io::Result<()> {
        let (opened, connections) = (start.opened(), self.plan.shares().connections());
        if opened >= connections {
            return Ok(());
        }
        (self.report)(&Event::Opening {
            opened,
            connections,
        })
    }

    /// Returns the settings of one thread that do not depend on its workload.
    fn worker_config(
        &self,
        share: Share,
        seconds: seconds::Seconds,
        observer: Option<Arc<ObserverLink>>,
        thread: usize,
    ) -> Result<WorkerConfig, PlanError> {
        let plan = self.plan;
        Ok(WorkerConfig {
            connecting: plan.connecting()?.arrivals(share),
            connect_timeout_ns: plan.connect_timeout_ns()?,
            connect_pending_max: plan
                .connect_pending_max
                .map_or(usize::MAX, |pending| pending / plan.threads),
            seconds,
            slices: self.control.slices.clone().map(|slices| (slices, thread)),
            stops_if_full: plan.stop_if_full,
            busy_poll_ns: busy_poll::permitted_ns(plan.busy_poll_us * 1000),
            writes_single_frames: plan.tcp.frames_per_write == FramesPerWrite::One,
            observer: observer.filter(|_| !plan.protocol.is_polling()),
            ping_every_ns: plan.ping_every_ms.map(|every_ms| every_ms * 1_000_000),
            pace: self.control.pace.clone(),
        })
    }
}

/// Gives this thread its own descriptors, or leaves it those of the process if the system refuses.
/// Files that are open remain so if another thread wakes it by one of them.
/// Returns an error if it is refused and needed, because one table is too small for all threads.
fn use_own_descriptors(is_needed: bool, is_woken: bool) -> anyhow::Result<()> {
    // A kernel before 5.9 has no close_range(2).
    if !(is_woken || limits::create_descriptor_table().is_err() && is_needed) {
        return Ok(());
    }
    match limits::copy_descriptor_table() {
        Err(error) if is_needed => {
            Err(error).context("cannot create a descriptor table for a thread")
        }
        _ => Ok(()),
    }
}

/// Waits for a thread to end and returns its value.
fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread
        .join()
        .expect("a thread that panics ends the process")
}

/// Reports each second once all threads have counted it, until the last thread has ended, and until
/// the first thread begins the workload from time to time that connections are being opened.
///
/// Runs at a lower priority than the sending threads, and sleeps between its steps, so that printing
/// does not delay a message that is due.
fn report_seconds(
    events: &Receiver<ThreadEvent>,
    mut sum: SecondsSum,
    report_opening: &dyn Fn() -> io::Result<()>,
    report: Reporter<'_>,
) -> anyhow::Result<Latencies> {
    if let Err(error) = limits::use_idle_priority() {
        crate::log(&format!(
            "printing may delay messages: cannot lower the priority: {error}"
        ));
    }
    let mut opening_due = Some(clock::now() + OPENING_REPORTED_AFTER_NS);
    loop {
        let event = match opening_due {
            None => events.recv().ok(),
            Some(due) => {
                let left = Duration::from_nanos(due.saturating_sub(clock::now()));
                match events.recv_timeout(left) {
                    Err(RecvTimeoutError::Timeout) => {
                        report_opening()?;
                        opening_due = Some(clock::now() + OPENING_REPORTED_EVERY_NS);
                        continue;
                    }
                    received => received.ok(),
                }
            }
        };
        let Some(event) = event else {
            return Ok(sum.reported);
        };
        if let ThreadEvent::Started(timetable) = &event {
            opening_due = None;
            report(&Event::Started(timetable))?;
        }
        sum.add(event);
        yield_core();
        while let Some(second) = sum.take() {
            yield_core();
            report(&Event::Second(&second))?;
        }
    }
}

/// Gives the core back to a sending thread that polls without sleeping, which otherwise waits for
/// the next tick of the scheduler.
#[expect(
    clippy::disallowed_methods,
    reason = "the purpose is that this thread sleeps"
)]
fn yield_core() {
    thread::sleep(PRINTER_PAUSE);
}

fn connections(share: Share) -> usize {
    usize::try_from(share.connections()).expect("not more than were planned")
}
