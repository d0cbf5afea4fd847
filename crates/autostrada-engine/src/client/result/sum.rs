//! What all threads together have come to, and what it says.

use std::ops::Range;
use std::time::Duration;

use autostrada_measure::{
    Failure, FailureKind, Generator, GeneratorLimit, Nanos, OpenLoop, RecordError, Schedule,
    generator_limited,
};

use autostrada_net::limits;
use autostrada_proto::feed::FeedKind;

use super::sections::{
    BacklogRow, CompressionRow, ExchangeRow, FailureRow, RecoveryRow, SlowRow, TlsRow,
};
use super::{LoadResult, buckets, has_numbers};
use crate::client::seen::Seen;
use crate::client::start::Durations;
use crate::client::worker::{Recovered, Worked};
use crate::client::workload::{Latencies, Recorded, Workload};
use crate::ended::Ended;
use crate::plan::{LoadPlan, LoadWorkload};

/// A broadcast that begins in the last tenth of a window, or its last second, may still be under
/// way at its end: its fan-out skew is not judged.
const UNDER_WAY_SHARE: u64 = 10;
const UNDER_WAY_NS_MAX: Nanos = 1_000_000_000;

/// What was planned, as the result must know it.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The plan itself.
    pub plan: &'a LoadPlan,
    /// How long the parts of the trial take.
    pub durations: Durations,
    /// How many messages all connections together receive, where that ends the trial.
    pub messages: Option<u64>,
    /// When messages are due, in an open loop.
    pub schedule: Option<Schedule>,
}

impl Scope<'_> {
    /// Whether messages are sent and come back.
    fn is_exchange(&self) -> bool {
        matches!(self.plan.workload, LoadWorkload::Echo { .. })
    }

    /// Whether messages are sent back.
    fn answers(&self) -> bool {
        matches!(self.plan.workload, LoadWorkload::Answer { .. })
    }

    /// Whether a feed tells instants.
    fn has_instants(&self) -> bool {
        let feed = self.plan.workload.feed();
        feed.is_some_and(|feed| matches!(feed.encoder().kind, FeedKind::Clock | FeedKind::Stocks))
    }

    /// Whether some connections are slow.
    fn has_slow(&self) -> bool {
        matches!(self.plan.workload, LoadWorkload::SlowConsumer { .. })
    }
}

/// What all threads together have come to.
#[derive(Debug, Default)]
pub struct LoadSum {
    recorded: Recorded,
    seen: Seen,
    recovered: Option<Recovered>,
    /// Of one core each.
    busy_shares: Vec<f64>,
}

impl LoadSum {
    /// Adds one thread.
    pub fn merge<W: Workload>(&mut self, worked: Worked<W>, scope: &Scope<'_>) {
        let recorded = worked.workload.into_recorded();
        self.recorded.merge(&recorded);
        self.seen.merge(&worked.seen);
        if let Some(recovered) = worked.recovered {
            self.recovered.get_or_insert_default().merge(&recovered);
        }
        let seen = &worked.seen;
        let by_messages = seen.first_opened.filter(|_| scope.messages.is_some());
        self.busy_shares
            .push(if let Some((opened, opened_cpu_ns)) = by_messages {
                share(
                    seen.cpu_ns.saturating_sub(opened_cpu_ns),
                    recorded.received_ns.saturating_sub(opened),
                )
            } else {
                let warm_up_ns = scope.durations.warm_up_ns;
                let started_at = seen.window_start.saturating_sub(warm_up_ns);
                share(seen.busy_ns, seen.ended_at.saturating_sub(started_at))
            });
    }

    /// Adds what all threads have told second by second.
    pub fn add(&mut self, told: &Latencies) {
        self.recorded.latencies.merge(told);
    }

    /// Judges, and puts it as it is printed.
    ///
    /// # Errors
    ///
    /// When a broadcast took more than an hour.
    pub fn result(
        &self,
        scope: &Scope<'_>,
        is_interrupted: bool,
    ) -> Result<LoadResult, RecordError> {
        let ended = self.ended(scope, is_interrupted);
        let exchange = scope.is_exchange().then(|| self.exchange(scope, ended));
        let limit = self.limit(scope, exchange.as_ref());
        self.put(scope, ended, exchange, limit)
    }

    fn put(
        &self,
        scope: &Scope<'_>,
        ended: Ended,
        exchange: Option<ExchangeRow>,
        limit: Option<GeneratorLimit>,
    ) -> Result<LoadResult, RecordError> {
        let Self { recorded, seen, .. } = self;
        let opened_ns = seen.first_opened.map_or(0, |(opened, _)| opened);
        let skew = recorded.broadcasts.as_ref().map(|broadcasts| {
            let window = self.broadcasts_judged(scope);
            let reading = scope.plan.connections as u64 - recorded.slow.connections;
            broadcasts.sum_up(reading, &window)
        });
        let skew = skew.transpose()?;
        let mut failures = seen.failures.clone();
        failures.merge(&recorded.failures);
        Ok(LoadResult {
            connections: seen.opened,
            messages: recorded.messages,
            bytes: recorded.bytes,
            opened_ns,
            received_ns: recorded.received_ns.max(opened_ns),
            wrong: recorded.wrong,
            read_bytes: seen.read_bytes,
            read_calls: seen.read_calls,
            written_bytes: seen.written_bytes,
            write_calls: seen.write_calls,
            connect_tcp_time_ns: buckets(&seen.times.tcp_time_ns),
            connect_tls_time_ns: buckets(&seen.times.tls_time_ns),
            connect_tls_resumed_time_ns: buckets(&seen.times.tls_resumed_time_ns),
            connect_upgrade_time_ns: buckets(&seen.times.upgrade_time_ns),
            connect_response_time_ns: buckets(&seen.times.response_time_ns),
            failures: FailureRow::all(&failures),
            tls: seen
                .tls
                .as_ref()
                .map(|agreed| TlsRow::new(agreed, seen.resumed)),
            subprotocols: seen.granted.subprotocols.clone(),
            compression: scope
                .plan
                .compression
                .map(|_| CompressionRow::new(&seen.granted)),
            answered: scope.answers().then_some(recorded.sent_in_all),
            exchange,
            sequence: has_numbers(&recorded.sequence).then(|| recorded.sequence.into()),
            delivery_time_ns: scope
                .has_instants()
                .then(|| buckets(&recorded.latencies.delivery_time_ns)),
            regularity: recorded.regularity.as_ref().map(Into::into),
            fan_out_skew: skew.as_ref().map(Into::into),
            slow: scope
                .has_slow()
                .then(|| SlowRow::new(recorded.slow, seen.slow_unread_bytes)),
            recovery: self
                .recovered
                .as_ref()
                .map(|recovered| RecoveryRow::new(recovered, seen.window_start)),
            busy_shares: self.busy_shares.clone(),
            window_start_ns: self.window_start_ns(scope),
            window_ns: self.window_ns(scope),
            ended,
            generator_limited: limit.map(describe),
        })
    }

    /// When a broadcast must have begun to be judged.
    fn broadcasts_judged(&self, scope: &Scope<'_>) -> Range<Nanos> {
        if scope.messages.is_some() {
            return 0..Nanos::MAX;
        }
        let under_way_ns = (self.window_ns(scope) / UNDER_WAY_SHARE).min(UNDER_WAY_NS_MAX);
        self.seen.window_start..self.seen.ended_at.saturating_sub(under_way_ns)
    }

    /// When the window began, and 0 where no connection was ever open.
    fn window_start_ns(&self, scope: &Scope<'_>) -> Nanos {
        let opened_ns = self.seen.first_opened.map_or(0, |(opened, _)| opened);
        match scope.messages {
            Some(_) => opened_ns,
            None => self.seen.window_start,
        }
    }

    /// How long the window was: shorter than planned when interrupted.
    fn window_ns(&self, scope: &Scope<'_>) -> Nanos {
        match (scope.messages, self.seen.first_opened) {
            (Some(_), Some((opened, _))) => self.recorded.received_ns.saturating_sub(opened),
            (Some(_), None) => 0,
            (None, _) => self.seen.ended_at.saturating_sub(self.seen.window_start),
        }
    }

    fn ended(&self, scope: &Scope<'_>, is_interrupted: bool) -> Ended {
        let Some(messages) = scope.messages else {
            let has_time_left = self.window_ns(scope) < scope.durations.window_ns;
            return match () {
                () if is_interrupted => Ended::Interrupted,
                () if self.seen.first_opened.is_none() => Ended::Reset,
                () if has_time_left => Ended::Closed,
                () => Ended::Complete,
            };
        };
        if self.recorded.messages == messages {
            return Ended::Complete;
        }
        if is_interrupted {
            return Ended::Interrupted;
        }
        let Some((kind, failure)) = self.first_failure() else {
            return Ended::Timeout;
        };
        let (ended, what) = match kind {
            FailureKind::Close => (Ended::Closed, "the server closed"),
            FailureKind::Protocol => (Ended::Violation, "the server broke the protocol"),
            FailureKind::Timeout => (Ended::Timeout, "time was over"),
            FailureKind::Connect | FailureKind::Tls | FailureKind::Handshake => {
                (Ended::Reset, "cannot connect")
            }
            _ => (Ended::Reset, "a connection broke"),
        };
        crate::log(&format!("{what}: {}", failure.example));
        ended
    }

    fn first_failure(&self) -> Option<(FailureKind, &Failure)> {
        self.seen.failures.iter().next()
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a rate needs no more than 53 bits"
    )]
    fn exchange(&self, scope: &Scope<'_>, ended: Ended) -> ExchangeRow {
        let recorded = &self.recorded;
        let window_ns = self.window_ns(scope);
        let rate = |messages: u64| {
            if window_ns > 0 {
                messages as f64 * 1e9 / window_ns as f64
            } else {
                0.0
            }
        };
        let overdue = self.overdue(scope, ended);
        let offered = scope.schedule.map(|schedule| {
            // What was due in the moment of an interruption was nobody's to send.
            if ended == Ended::Interrupted {
                return recorded.sent + recorded.unsent;
            }
            self.scheduled(scope, schedule)
        });
        ExchangeRow {
            sent: recorded.sent,
            echoed: recorded.echoed,
            unsent: recorded.unsent,
            overdue,
            offered_rate_per_s: offered.map(rate),
            achieved_rate_per_s: rate(recorded.completed),
            achieved_share: scope.schedule.map(|_| {
                let due = recorded.sent + recorded.unsent + overdue;
                share(recorded.sustained, due).min(1.0)
            }),
            completed: recorded.completed,
            backlog: BacklogRow::new(recorded.answered_in_drain, recorded.unanswered),
            response_time_ns: buckets(&recorded.latencies.recorder.response_time_ns),
            service_time_ns: buckets(&recorded.latencies.recorder.service_time_ns),
            send_delay_ns: buckets(&recorded.latencies.recorder.send_delay_ns),
        }
    }

    /// How many messages were due within the window, by the plan.
    fn scheduled(&self, scope: &Scope<'_>, schedule: Schedule) -> u64 {
        let before = scope.durations.warm_up_ns;
        schedule.offered_until(before + self.window_ns(scope)) - schedule.offered_until(before)
    }

    /// How many messages were due within the window and too late to be sent at all: those that
    /// were counted, or, where the plan is exact, those that are left.
    fn overdue(&self, scope: &Scope<'_>, ended: Ended) -> u64 {
        let recorded = &self.recorded;
        match scope.schedule {
            Some(Schedule::Constant { .. } | Schedule::Ramp { .. }) if ended == Ended::Complete => {
                let scheduled = scope.schedule.map_or(0, |it| self.scheduled(scope, it));
                scheduled.saturating_sub(recorded.sent + recorded.unsent)
            }
            _ => recorded.overdue,
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a rate needs no more than 53 bits"
    )]
    fn limit(&self, scope: &Scope<'_>, exchange: Option<&ExchangeRow>) -> Option<GeneratorLimit> {
        let window_s = self.window_ns(scope) as f64 / 1e9;
        let open_loop = exchange
            .filter(|_| scope.schedule.is_some())
            .map(|exchange| {
                let rate = |messages: u64| {
                    if window_s > 0.0 {
                        messages as f64 / window_s
                    } else {
                        0.0
                    }
                };
                // What was due on connections that the peer has broken was not the engine's to send.
                OpenLoop {
                    send_delay_ns: &self.recorded.latencies.recorder.send_delay_ns,
                    offered_rate_per_s: rate(exchange.sent + exchange.overdue),
                    sent_rate_per_s: rate(exchange.sent),
                    sustained_rate_per_s: rate(self.recorded.sustained),
                }
            });
        generator_limited(&Generator {
            busy_shares: &self.busy_shares,
            cores: limits::cores(),
            open_loop,
        })
    }
}

/// `part / whole`, of instants or of messages, and 0 where there is no whole.
#[expect(
    clippy::cast_precision_loss,
    reason = "a share needs no more than 53 bits"
)]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

fn describe(limit: GeneratorLimit) -> String {
    match limit {
        GeneratorLimit::Behind {
            offered_rate_per_s,
            sent_rate_per_s,
        } => {
            format!("sent {sent_rate_per_s:.0} of {offered_rate_per_s:.0} messages a second")
        }
        GeneratorLimit::Late { send_delay_ns } => {
            format!(
                "p99 send delay {:.2} ms",
                Duration::from_nanos(send_delay_ns).as_secs_f64() * 1e3
            )
        }
        GeneratorLimit::Busy { thread, busy_share } => {
            format!(
                "thread {thread} was busy {:.0} % of the time",
                busy_share * 100.0
            )
        }
        GeneratorLimit::Crowded { cores, busy_share } => {
            format!(
                "all threads together were busy {:.0} % of the time of {cores} cores",
                busy_share * 100.0
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_nothing_is_nothing() {
        assert!((share(1, 4) - 0.25).abs() < f64::EPSILON);
        assert!(share(5, 0).abs() < f64::EPSILON);
    }
}
