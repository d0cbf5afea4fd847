//! The sum of what all threads recorded, and the result derived from it.

use std::ops::Range;

use autostrada_measure::{
    Failure, FailureKind, Failures, Generator, Nanos, RecordError, Schedule, SequenceCounts,
    generator_limited,
};
use autostrada_net::limits;

use super::LoadResult;
use super::sections::{FailureRow, TlsRow};
use crate::client::buckets::buckets;
use crate::client::connection_stats::ConnectionStats;
use crate::client::merge::Merge;
use crate::client::plan::LoadPlan;
use crate::client::timetable::Durations;
use crate::client::worker::WorkerResult;
use crate::client::workload::{Kind, Latencies, Outcome, Records, Sections, Workload, share};
use crate::ended::Ended;

/// A broadcast message first received in the last tenth of a window, or in its last second if that
/// is shorter, may not have reached all connections at the end: its fan-out skew is left out.
const IN_FLIGHT_SHARE: u64 = 10;
const IN_FLIGHT_NS_MAX: Nanos = 1_000_000_000;

/// The planned values that the result is computed from.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The plan itself.
    pub plan: &'a LoadPlan,
    /// Planned durations of the phases.
    pub durations: Durations,
    /// Total number of messages after which the trial ends, or `None` if it ends by time.
    pub messages: Option<u64>,
    /// Schedule of an open loop, or `None` if messages are not scheduled.
    pub schedule: Option<Schedule>,
}

/// The sum of what all threads recorded.
#[derive(Debug, Default)]
pub struct LoadSum<C> {
    records: Records,
    /// Counts that only this kind of workload records.
    counts: C,
    stats: ConnectionStats,
    /// CPU usage of each thread, as a share of one core.
    utilizations: Vec<f64>,
}

impl<C: Merge> LoadSum<C> {
    /// Adds the records of one thread.
    pub fn merge<W: Workload<Counts = C>>(&mut self, worker: WorkerResult<W>, scope: &Scope<'_>) {
        let (records, counts) = worker.workload.into_records();
        self.records.merge(&records);
        self.counts.merge(&counts);
        self.stats.merge(&worker.stats);
        let stats = &worker.stats;
        let by_messages = stats.first_opened.filter(|_| scope.messages.is_some());
        self.utilizations
            .push(if let Some((opened, opened_cpu_ns)) = by_messages {
                share(
                    stats.cpu_ns.saturating_sub(opened_cpu_ns),
                    records.received_ns.saturating_sub(opened),
                )
            } else {
                let warm_up_ns = scope.durations.warm_up_ns;
                let started_at = stats.window_start.saturating_sub(warm_up_ns);
                share(stats.busy_ns, stats.ended_at.saturating_sub(started_at))
            });
    }

    /// Adds the latencies that all threads have reported second by second.
    pub fn add(&mut self, reported: &Latencies) {
        self.records.latencies.merge(reported);
    }

    /// Derives the result that is printed.
    /// Returns an error if the fan-out skew of a message exceeds an hour.
    pub fn result<K>(
        &self,
        scope: &Scope<'_>,
        kind: &K,
        sections: fn(K::Section) -> Sections,
        is_interrupted: bool,
    ) -> Result<LoadResult, RecordError>
    where
        K: Kind,
        K::Workload: Workload<Counts = C>,
    {
        let ended = self.ended(scope, is_interrupted);
        let outcome = Outcome {
            records: &self.records,
            counts: &self.counts,
            window_start: self.stats.window_start,
            window_ns: self.window_ns(scope),
            durations: scope.durations,
            schedule: scope.schedule,
            shares: scope.plan.shares(),
            ended,
        };
        let limit = generator_limited(&Generator {
            utilizations: &self.utilizations,
            cores: limits::cores(),
            open_loop: kind.open_loop(&outcome),
        });
        let mut failures = self.stats.failures.clone();
        failures.merge(&self.records.failures);
        if let Some(why) = kind.distrust(&outcome) {
            failures.record(FailureKind::Mismatch, self.stats.ended_at, || why);
        }
        let section = sections(kind.section(&outcome));
        self.put(scope, ended, section, &failures, limit)
    }

    fn put(
        &self,
        scope: &Scope<'_>,
        ended: Ended,
        sections: Sections,
        failures: &Failures,
        generator_limited: Option<String>,
    ) -> Result<LoadResult, RecordError> {
        let workload = scope.plan.workload.plan();
        let Self { records, stats, .. } = self;
        let opened_ns = stats.first_opened.map_or(0, |(opened, _)| opened);
        let skew = records.broadcasts.as_ref().map(|broadcasts| {
            let window = self.broadcast_window(scope);
            let receivers = workload.broadcast_receivers(scope.plan.shares().connections());
            broadcasts.summarize(receivers, &window)
        });
        let skew = skew.transpose()?;
        Ok(LoadResult {
            connections: stats.opened,
            lost: stats.lost,
            lost_after_ns: (stats.lost > 0).then(|| {
                stats
                    .last_lost_at
                    .saturating_sub(self.window_start_ns(scope))
            }),
            messages: records.messages,
            bytes: records.bytes,
            opened_ns,
            received_ns: records.received_ns.max(opened_ns),
            wrong: records.wrong,
            traffic: stats.traffic,
            connect_tcp_time_ns: buckets(&stats.times.tcp_time_ns),
            connect_tls_time_ns: buckets(&stats.times.tls_time_ns),
            connect_tls_resumed_time_ns: buckets(&stats.times.tls_resumed_time_ns),
            connect_upgrade_time_ns: buckets(&stats.times.upgrade_time_ns),
            connect_response_time_ns: buckets(&stats.times.response_time_ns),
            failures: FailureRow::all(failures),
            tls: stats
                .tls
                .as_ref()
                .map(|negotiated| TlsRow::new(negotiated, stats.resumed)),
            subprotocols: stats.granted.subprotocols.clone(),
            compression: scope
                .plan
                .compression
                .map(|_| stats.granted.compression.clone()),
            sections,
            sequence: Some(records.sequence).filter(|counts| *counts != SequenceCounts::default()),
            delivery_time_ns: workload
                .has_delivery_times()
                .then(|| buckets(&records.latencies.delivery_time_ns)),
            regularity: records.regularity.as_ref().map(Into::into),
            fan_out_skew: skew.as_ref().map(Into::into),
            pings: scope
                .plan
                .ping_every_ms
                .map(|_| (&records.round_trips).into()),
            utilizations: self.utilizations.clone(),
            window_start_ns: self.window_start_ns(scope),
            window_ns: self.window_ns(scope),
            ended,
            generator_limited,
        })
    }

    /// Returns the range in which a broadcast message must first be received for its fan-out skew
    /// to count.
    fn broadcast_window(&self, scope: &Scope<'_>) -> Range<Nanos> {
        // A slice ends when all connections have all of its messages.
        if scope.messages.is_some() || scope.plan.slices {
            return 0..Nanos::MAX;
        }
        let in_flight_ns = (self.window_ns(scope) / IN_FLIGHT_SHARE).min(IN_FLIGHT_NS_MAX);
        self.stats.window_start..self.stats.ended_at.saturating_sub(in_flight_ns)
    }

    /// Returns the instant at which the window began; in a trial that ends by messages, 0 if no
    /// connection opened.
    fn window_start_ns(&self, scope: &Scope<'_>) -> Nanos {
        let opened_ns = self.stats.first_opened.map_or(0, |(opened, _)| opened);
        match scope.messages {
            Some(_) => opened_ns,
            None => self.stats.window_start,
        }
    }

    /// Returns the length of the window, shorter than planned if the trial was interrupted.
    fn window_ns(&self, scope: &Scope<'_>) -> Nanos {
        match (scope.messages, self.stats.first_opened) {
            (Some(_), Some((opened, _))) => self.records.received_ns.saturating_sub(opened),
            (Some(_), None) => 0,
            (None, _) => self.stats.ended_at.saturating_sub(self.stats.window_start),
        }
    }

    fn ended(&self, scope: &Scope<'_>, is_interrupted: bool) -> Ended {
        let Some(messages) = scope.messages else {
            let sent_max = scope.plan.workload.plan().sent_max();
            let own = sent_max.map(|all| scope.plan.shares().messages(all));
            let has_sent_all =
                own == Some(self.records.sent_total) && self.first_failure().is_none();
            let has_time_left = if scope.plan.slices {
                self.stats.lost >= self.stats.opened
            } else {
                self.window_ns(scope) < scope.durations.window_ns && !has_sent_all
            };
            return match () {
                () if is_interrupted => Ended::Interrupted,
                () if self.stats.first_opened.is_none() => Ended::Reset,
                () if has_time_left => Ended::Closed,
                () => Ended::Complete,
            };
        };
        if self.records.messages == messages {
            return Ended::Complete;
        }
        if is_interrupted {
            return Ended::Interrupted;
        }
        let Some((kind, failure)) = self.first_failure() else {
            return Ended::Timeout;
        };
        let (ended, description) = match kind {
            FailureKind::Close => (Ended::Closed, "the server closed"),
            FailureKind::Protocol => (Ended::Violation, "the server broke the protocol"),
            FailureKind::Timeout => (Ended::Timeout, "the time limit was reached"),
            FailureKind::Connect | FailureKind::Tls | FailureKind::Handshake => {
                (Ended::Reset, "cannot connect")
            }
            _ => (Ended::Reset, "a connection broke"),
        };
        crate::log(&format!("{description}: {}", failure.example));
        ended
    }

    fn first_failure(&self) -> Option<(FailureKind, &Failure)> {
        self.stats.failures.iter().next()
    }
}
