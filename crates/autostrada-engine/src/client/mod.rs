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

use std::thread::{self, ScopedJoinHandle};

use anyhow::Context;
use autostrada_measure::{Rate, Schedule, Share};
use autostrada_net::tls::ClientTls;

use crate::line::{self, Line};
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

/// Carries out a plan and prints its result.
///
/// # Errors
///
/// When the plan cannot be carried out, or its figures would be worthless.
pub fn run(plan: &LoadPlan) -> anyhow::Result<()> {
    match &plan.workload {
        LoadWorkload::Receive { messages, payload } => {
            let text = payload.as_ref().map(|payload| payload.text.as_str());
            let expected = Expected::new(*messages, text);
            receive(plan, &expected)
        }
        LoadWorkload::Echo {
            window,
            payload,
            phases,
        } => {
            let pace = |_| Pace::Window(*window);
            exchange(plan, phases, &payload.text, None, pace)
        }
        LoadWorkload::Bots {
            schedule,
            payload,
            phases,
        } => {
            let schedule = schedule.schedule()?;
            let pace = |share| Pace::Open(schedule.arrivals(share));
            exchange(plan, phases, &payload.text, Some(schedule), pace)
        }
    }
}

fn receive(plan: &LoadPlan, expected: &Expected) -> anyhow::Result<()> {
    let limit_ns = plan.limit_s.saturating_mul(1_000_000_000);
    let durations = Durations {
        opening_ns: limit_ns,
        warm_up_ns: 0,
        window_ns: limit_ns,
        drain_ns: 0,
    };
    let mut sum = ReceiveSum::default();
    for worked in work(plan, durations, |share| {
        Receive::new(expected.clone(), connections(share))
    })? {
        sum.merge(worked.workload, &worked.seen);
    }
    let planned = expected.messages().saturating_mul(plan.connections as u64);
    let result = sum.result(planned, &plan.url)?;
    line::print(&Line::Receive(&result))?;
    Ok(())
}

fn exchange(
    plan: &LoadPlan,
    phases: &Phases,
    text: &str,
    schedule: Option<Schedule>,
    pace: impl Fn(Share) -> Pace + Sync,
) -> anyhow::Result<()> {
    let durations = Durations {
        opening_ns: plan::nanos(phases.opening_s),
        warm_up_ns: plan::nanos(phases.warm_up_s),
        window_ns: plan::nanos(phases.window_s),
        drain_ns: plan::nanos(phases.drain_s),
    };
    let mut sum = ExchangeSum::default();
    for worked in work(plan, durations, |share| {
        Exchange::new(pace(share), text, connections(share))
    })? {
        sum.merge(&worked.workload.exchanged, &worked.seen, durations);
    }
    let offered = schedule.map(|schedule| {
        schedule.offered_until(durations.warm_up_ns + durations.window_ns)
            - schedule.offered_until(durations.warm_up_ns)
    });
    let result = sum.result(phases.window_s, offered);
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
    durations: Durations,
    workload: impl Fn(Share) -> W + Sync,
) -> anyhow::Result<Vec<Worked<W>>> {
    let target = target(plan)?;
    let connecting = connecting(plan)?;
    line::print(&Line::Ready {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION"),
        url: &plan.url,
    })?;
    let start = Start::new(plan.threads, durations);
    let (seconds, told) = seconds::seconds(plan.threads);
    thread::scope(|scope| {
        let threads: Vec<_> = seconds
            .into_iter()
            .enumerate()
            .map(|(index, seconds)| {
                let share = share(index, plan);
                let (target, start, workload) = (&target, &start, &workload);
                scope.spawn(move || {
                    let connecting = connecting.arrivals(share);
                    let mut worker = Worker::new(target, connecting, workload(share), seconds)?;
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

/// The connections of one thread.
fn share(index: usize, plan: &LoadPlan) -> Share {
    Share::new(index as u64, plan.threads as u64, plan.connections as u64)
}

fn connections(share: Share) -> usize {
    usize::try_from(share.connections()).expect("not more than were planned")
}

fn target(plan: &LoadPlan) -> anyhow::Result<Target> {
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
