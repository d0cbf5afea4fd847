//! The engine as a client: threads, each with its share of the connections.

mod connection;
mod end;
mod plan;
mod result;
mod room;
mod seconds;
mod seen;
mod sending;
mod session;
mod start;
mod worker;
mod workload;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ScopedJoinHandle};

use autostrada_measure::{Nanos, Rate, Schedule, Share};
use autostrada_net::limits;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::plan::{self as plans, Carrier, FramesPerCall, PlanError, ProtocolPlan};
pub use plan::LoadPlan;
pub use result::LoadResult;
use result::{LoadSum, Scope};
pub use seconds::LoadSecond;
use seconds::Merged;
use session::{Terms, Wording};
use start::{Durations, Start};
use worker::{Duties, Worked, Worker};
use workload::{Kind, Latencies, Sections, Thread, Visitor};

/// As fast as connections can be begun.
const CONNECT_RATE_PER_S_MAX: f64 = 1e9;

/// What is told of a plan that is carried out.
#[derive(Debug)]
pub enum Told<'a> {
    /// The plan can be carried out: the first connection is about to be opened.
    Ready,
    /// A second is over.
    Second(&'a LoadSecond),
    /// All is over.
    Result(&'a LoadResult),
}

/// Whoever is told, by the thread that has something to tell.
pub type Listener<'a> = &'a (dyn Fn(&Told<'_>) -> io::Result<()> + Sync);

/// Carries out a plan and tells its result; returns whether it was interrupted.
///
/// # Errors
///
/// When the plan cannot be carried out, or its figures would be worthless.
pub fn run(plan: &LoadPlan, tell: Listener<'_>) -> anyhow::Result<bool> {
    let is_interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&is_interrupted))?;
    }
    let trial = Trial {
        plan,
        scope: scope(plan)?,
        is_interrupted: &is_interrupted,
        tell,
    };
    plan.workload.visit(&trial)?;
    Ok(is_interrupted.load(Ordering::Relaxed))
}

/// What the result must know of the plan.
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
            window_ns: plans::nanos(phases.window_s),
            drain_ns: plans::nanos(phases.drain_s),
            limit_ns: Nanos::MAX,
        },
    );
    Ok(Scope {
        plan,
        durations,
        messages: workload
            .messages()
            .map(|messages| messages.saturating_mul(plan.connections as u64)),
        schedule: workload.schedule(plan.connections)?,
    })
}

/// A plan being carried out.
struct Trial<'a> {
    plan: &'a LoadPlan,
    scope: Scope<'a>,
    is_interrupted: &'a Arc<AtomicBool>,
    tell: Listener<'a>,
}

impl Visitor for &Trial<'_> {
    type Output = anyhow::Result<()>;

    /// Runs all threads, and tells the result.
    fn visit<K: Kind>(self, kind: &K, sections: fn(K::Section) -> Sections) -> Self::Output {
        let start = Start::new(
            self.plan.threads,
            self.scope.durations,
            Arc::clone(self.is_interrupted),
        );
        let mut sum = LoadSum::default();
        let (worked, told) = self.work(&start, kind)?;
        for worked in worked {
            sum.merge(worked, &self.scope);
        }
        sum.add(&told);
        let result = sum.result(&self.scope, kind, sections, start.is_interrupted())?;
        (self.tell)(&Told::Result(&result))?;
        Ok(())
    }
}

impl Trial<'_> {
    /// Runs all threads from their first connection to their last, and tells the seconds.
    fn work<K: Kind>(
        &self,
        start: &Start,
        kind: &K,
    ) -> anyhow::Result<(Vec<Worked<K::Workload>>, Latencies)> {
        let plan = self.plan;
        let url = plan.url()?;
        let needs_own_table = room::check(plan, &url)?;
        let target = room::target(plan, &url)?;
        let offer = plan.compression.map(|plan| plan.offer()).transpose()?;
        let wording = Wording::new(plan, &url, offer);
        Terms::new(plan, &wording, &wording.fields())
            .map_err(|error| PlanError::new(format!("url or request: {error}")))?;
        connecting(plan)?;
        (self.tell)(&Told::Ready)?;
        let (seconds, told, merged) = seconds::seconds(plan.threads);
        thread::scope(|scope| {
            let threads: Vec<_> = seconds
                .into_iter()
                .enumerate()
                .map(|(index, seconds)| {
                    let (target, wording) = (&target, &wording);
                    scope.spawn(move || {
                        let share = share(index, plan);
                        let fields = wording.fields();
                        let prepared = || -> anyhow::Result<_> {
                            let terms = Terms::new(plan, wording, &fields)?;
                            let workload = kind.workload(Thread {
                                share,
                                all_connections: plan.connections,
                                protocol: &plan.protocol,
                                is_compressed: plan.compression.is_some(),
                                encoding: &mut terms.plain_encoding(),
                            })?;
                            let duties = duties(plan, share, seconds, needs_own_table)?;
                            Worker::new(target, terms, duties, workload)
                        };
                        let worker = prepared().inspect_err(|_| start.arrive())?;
                        worker.run(connections(share), start)
                    })
                })
                .collect();
            // A thread of its own, as who gives way cannot go back: the result is not to wait.
            let printer = scope.spawn(|| {
                // Where a line cannot be printed, nobody reads what is to come.
                tell_seconds(told, merged, self.tell)
                    .inspect_err(|_| self.is_interrupted.store(true, Ordering::Relaxed))
            });
            let worked: anyhow::Result<_> = threads.into_iter().map(join).collect();
            let told = join(printer)?;
            Ok((worked?, told))
        })
    }
}

/// What a thread has come to.
fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread
        .join()
        .expect("a thread that panics ends the process")
}

/// Tells each second when all threads have told it, until the last thread is over.
///
/// Where this thread shares a core with one that works it gives way: a message that is due must
/// not wait for a line.
fn tell_seconds(
    told: std::sync::mpsc::Receiver<seconds::Told>,
    mut merged: Merged,
    tell: Listener<'_>,
) -> anyhow::Result<Latencies> {
    if let Err(error) = limits::give_way() {
        crate::log(&format!("lines may delay messages: {error}"));
    }
    for told in told {
        merged.add(told);
        while let Some(second) = merged.take() {
            tell(&Told::Second(&second))?;
        }
    }
    Ok(merged.told)
}

/// What a thread is to do beside its workload.
fn duties(
    plan: &LoadPlan,
    share: Share,
    seconds: seconds::Seconds,
    needs_own_table: bool,
) -> Result<Duties, PlanError> {
    let needs_polls = match &plan.protocol {
        ProtocolPlan::SocketIo(socket_io) => socket_io.transport == Carrier::Polling,
        _ => false,
    };
    Ok(Duties {
        connecting: connecting(plan)?.arrivals(share),
        connect_pending_max: plan
            .connect_pending_max
            .map_or(usize::MAX, |pending| pending / plan.threads),
        seconds,
        needs_own_table,
        needs_polls,
        writes_single_frames: plan.tcp.frames_per_write == FramesPerCall::One,
    })
}

/// The connections of one thread.
fn share(index: usize, plan: &LoadPlan) -> Share {
    Share::new(index as u64, plan.threads as u64, plan.connections as u64)
}

fn connections(share: Share) -> usize {
    usize::try_from(share.connections()).expect("not more than were planned")
}

/// When connections are begun.
fn connecting(plan: &LoadPlan) -> Result<Schedule, PlanError> {
    let rate_per_s = plan.connect_rate_per_s.unwrap_or(CONNECT_RATE_PER_S_MAX);
    let rate = Rate::per_second(rate_per_s)
        .map_err(|error| PlanError::new(format!("connect_rate_per_s: {error}")))?;
    Ok(Schedule::Constant { rate })
}
