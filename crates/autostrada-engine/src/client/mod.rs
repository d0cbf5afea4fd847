//! The engine as a client: threads, each with its share of the connections.

mod connection;
mod exchange;
mod outbox;
mod receive;
mod result;
mod seconds;
mod start;
mod worker;
mod workload;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ScopedJoinHandle};

use anyhow::Context;
use autostrada_measure::{Nanos, Rate, Schedule, Share};
use autostrada_net::limits;
use autostrada_net::tls::ClientTls;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::line::{self, Ended, Line};
use crate::plan::{self, FORMAT, LoadPlan, LoadWorkload, Phases, PlanError, Url};
use exchange::{Exchange, Pace};
use receive::{Expected, Receive};
pub use result::{ExchangeResult, ReceiveResult};
use result::{ExchangeSum, ReceiveSum};
use seconds::Merged;
use start::{Durations, Start};
use worker::{Seen, Target, Worker};
use workload::Workload;

/// As fast as connections can be begun.
const CONNECT_RATE_PER_S_MAX: f64 = 1e9;

/// Carries out a plan and prints its result; returns whether it was interrupted.
///
/// # Errors
///
/// When the plan cannot be carried out, or its figures would be worthless.
pub fn run(plan: &LoadPlan) -> anyhow::Result<bool> {
    let is_interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&is_interrupted))?;
    }
    match &plan.workload {
        LoadWorkload::Receive { messages, payload } => {
            let text = payload.as_ref().map(|payload| payload.text.as_str());
            let expected = Expected::new(*messages, text);
            receive(plan, &expected, &is_interrupted)?;
        }
        LoadWorkload::Echo {
            window,
            payload,
            phases,
        } => {
            let pace = |_| Pace::Window(*window);
            let exchanging = Exchanging::new(phases, &payload.text, None);
            exchange(plan, &exchanging, pace, &is_interrupted)?;
        }
        LoadWorkload::Bots {
            schedule,
            payload,
            phases,
        } => {
            let schedule = schedule.schedule()?;
            let pace = |share| Pace::Open(schedule.arrivals(share));
            let exchanging = Exchanging::new(phases, &payload.text, Some(schedule));
            exchange(plan, &exchanging, pace, &is_interrupted)?;
        }
    }
    Ok(is_interrupted.load(Ordering::Relaxed))
}

fn receive(
    plan: &LoadPlan,
    expected: &Expected,
    is_interrupted: &Arc<AtomicBool>,
) -> anyhow::Result<()> {
    let limit_ns = plan.limit_s.saturating_mul(1_000_000_000);
    let durations = Durations {
        opening_ns: limit_ns,
        warm_up_ns: 0,
        window_ns: limit_ns,
        drain_ns: 0,
    };
    let mut sum = ReceiveSum::default();
    let start = Start::new(plan.threads, durations, Arc::clone(is_interrupted));
    for worked in work(plan, &start, |share| {
        Receive::new(expected.clone(), connections(share))
    })? {
        sum.merge(worked.workload, &worked.seen);
    }
    let planned = expected.messages().saturating_mul(plan.connections as u64);
    let result = sum.result(planned, &plan.url, start.is_interrupted())?;
    line::print(&Line::Receive(&result))?;
    Ok(())
}

/// What an echo or bots workload sends, when, and for how long.
struct Exchanging<'a> {
    text: &'a str,
    durations: Durations,
    schedule: Option<Schedule>,
}

impl<'a> Exchanging<'a> {
    fn new(phases: &Phases, text: &'a str, schedule: Option<Schedule>) -> Self {
        let durations = Durations {
            opening_ns: plan::nanos(phases.opening_s),
            warm_up_ns: plan::nanos(phases.warm_up_s),
            window_ns: plan::nanos(phases.window_s),
            drain_ns: plan::nanos(phases.drain_s),
        };
        Self {
            text,
            durations,
            schedule,
        }
    }

    /// How many messages of an open loop were due in a window of this length.
    fn offered(&self, window_ns: Nanos) -> Option<u64> {
        let schedule = self.schedule?;
        let before = self.durations.warm_up_ns;
        Some(schedule.offered_until(before + window_ns) - schedule.offered_until(before))
    }
}

fn exchange(
    plan: &LoadPlan,
    exchanging: &Exchanging<'_>,
    pace: impl Fn(Share) -> Pace + Sync,
    is_interrupted: &Arc<AtomicBool>,
) -> anyhow::Result<()> {
    let mut sum = ExchangeSum::default();
    let start = Start::new(
        plan.threads,
        exchanging.durations,
        Arc::clone(is_interrupted),
    );
    for worked in work(plan, &start, |share| {
        Exchange::new(pace(share), exchanging.text, connections(share))
    })? {
        sum.merge(
            &worked.workload.exchanged,
            &worked.seen,
            exchanging.durations,
        );
    }
    let ended = if start.is_interrupted() {
        Ended::Interrupted
    } else {
        Ended::Complete
    };
    // What was due in the moment of an interruption was nobody's to send.
    let offered = match ended {
        Ended::Interrupted => exchanging.schedule.map(|_| sum.taken()),
        _ => exchanging.offered(sum.window_ns()),
    };
    let result = sum.result(offered, ended);
    line::print(&Line::Exchange(&result))?;
    Ok(())
}

/// What one thread brings home.
struct Worked<W> {
    workload: W,
    seen: Seen,
}

/// Runs all threads from their first connection to their last, and prints the seconds.
fn work<W: Workload + Send>(
    plan: &LoadPlan,
    start: &Start,
    workload: impl Fn(Share) -> W + Sync,
) -> anyhow::Result<Vec<Worked<W>>> {
    let target = target(plan, check_room(plan)?)?;
    let connecting = connecting(plan)?;
    line::print(&Line::Ready {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION"),
        url: &plan.url,
    })?;
    let (seconds, told) = seconds::seconds(plan.threads);
    thread::scope(|scope| {
        let threads: Vec<_> = seconds
            .into_iter()
            .enumerate()
            .map(|(index, seconds)| {
                let share = share(index, plan);
                let (target, workload) = (&target, &workload);
                scope.spawn(move || {
                    let connecting = connecting.arrivals(share);
                    let worker = Worker::new(target, connecting, workload(share), seconds);
                    let mut worker = worker.inspect_err(|_| start.leave())?;
                    worker.run(connections(share), start)?;
                    let Worker { workload, seen, .. } = worker;
                    Ok(Worked { workload, seen })
                })
            })
            .collect();
        let mut merged = Merged::new(plan.threads);
        for second in told {
            if let Some(whole) = merged.add(second) {
                line::print(&whole.into())?;
            }
        }
        for second in merged.rest() {
            line::print(&second.into())?;
        }
        let join = |thread: ScopedJoinHandle<'_, _>| {
            thread
                .join()
                .expect("a thread that panics ends the process")
        };
        threads.into_iter().map(join).collect()
    })
}

/// Makes sure that descriptors and ports suffice, before the first connection; returns whether
/// the threads need descriptor tables of their own.
fn check_room(plan: &LoadPlan) -> anyhow::Result<bool> {
    let connections = plan.connections as u64;
    let limit = limits::raise_descriptor_limit().context("cannot raise the limit of open files")?;
    let room = limit.saturating_sub(limits::RESERVED_DESCRIPTORS).max(1);
    if connections.div_ceil(plan.threads as u64) > room {
        let threads = connections.div_ceil(room);
        return Err(PlanError::new(format!(
            "{connections} connections need more than the {limit} open files that a thread may \
             have here: give \"threads\": {threads}"
        ))
        .into());
    }
    let ports = limits::ports_per_source().context("cannot tell how many ports there are")?;
    let sources = plan.source_addresses.len().max(1) as u64;
    if connections > ports * sources {
        return Err(PlanError::new(format!(
            "{connections} connections need more than the {ports} ports of a source address: give \
             {} \"source_addresses\", on loopback 127.0.0.2, 127.0.0.3, …",
            connections.div_ceil(ports)
        ))
        .into());
    }
    Ok(connections > room)
}

/// The connections of one thread.
fn share(index: usize, plan: &LoadPlan) -> Share {
    Share::new(index as u64, plan.threads as u64, plan.connections as u64)
}

fn connections(share: Share) -> usize {
    usize::try_from(share.connections()).expect("not more than were planned")
}

fn target(plan: &LoadPlan, needs_own_tables: bool) -> anyhow::Result<Target> {
    let url = Url::parse(&plan.url)?;
    let tls = if url.is_encrypted {
        let wanted = ClientTls {
            insecure: plan.tls.insecure,
            ca_file: plan.tls.ca_file.clone(),
            version: plan.tls.version.clone(),
            cipher_suite: plan.tls.cipher_suite.clone(),
            resumption: plan.tls.resumption,
        };
        let config = wanted
            .configure()
            .map_err(|error| PlanError::new(format!("tls: {error}")))?;
        let name = plan.tls.server_name.as_deref().unwrap_or(url.host());
        Some((config, name.to_owned()))
    } else {
        None
    };
    Ok(Target {
        address: url.resolve().context("the URL's host is unknown")?,
        authority: url.authority,
        path: url.path,
        needs_own_tables,
        sources: plan.source_addresses.clone(),
        tls,
    })
}

/// When connections are begun.
fn connecting(plan: &LoadPlan) -> Result<Schedule, PlanError> {
    let rate_per_s = plan.connect_rate_per_s.unwrap_or(CONNECT_RATE_PER_S_MAX);
    let rate = Rate::per_second(rate_per_s)
        .map_err(|error| PlanError::new(format!("connect_rate_per_s: {error}")))?;
    Ok(Schedule::Constant { rate })
}
