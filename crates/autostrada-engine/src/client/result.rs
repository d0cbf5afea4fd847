//! What the workloads print: `docs/format.md`.

use anyhow::bail;
use autostrada_measure::{
    FailureKind, Failures, Generator, GeneratorLimit, Histogram, Nanos, OpenLoop, generator_limited,
};
use serde::Serialize;

use super::exchange::Exchanged;
use super::receive::{Receive, Received};
use super::start::Durations;
use super::worker::Seen;
use crate::line::Ended;

/// Buckets of a histogram: the lowest duration of each in nanoseconds, and its count.
type Buckets = Vec<(Nanos, u64)>;

/// The result of echo and bots.
#[derive(Debug, Serialize)]
pub struct ExchangeResult {
    connections: u64,
    /// Messages that were sent, and due within the window.
    sent: u64,
    echoed: u64,
    unsent: u64,
    offered_rate_per_s: Option<f64>,
    achieved_rate_per_s: f64,
    response_time_ns: Buckets,
    service_time_ns: Buckets,
    lateness_ns: Buckets,
    connect_tcp_time_ns: Buckets,
    connect_tls_time_ns: Buckets,
    connect_upgrade_time_ns: Buckets,
    connect_response_time_ns: Buckets,
    failures: Vec<FailureRow>,
    tls: Option<TlsRow>,
    read_bytes: u64,
    read_calls: u64,
    written_bytes: u64,
    write_calls: u64,
    busy_shares: Vec<f64>,
    generator_limited: Option<String>,
    window_ns: Nanos,
    ended: Ended,
}

/// What was agreed upon in the first TLS handshake, and how many sessions were taken up again.
#[derive(Debug, Serialize)]
struct TlsRow {
    version: String,
    cipher_suite: String,
    resumed: u64,
}

#[derive(Debug, Serialize)]
struct FailureRow {
    kind: &'static str,
    count: u64,
    example: String,
}

/// What all threads of echo or bots together have come to.
#[derive(Debug, Default)]
pub struct ExchangeSum {
    exchanged: Exchanged,
    seen: Seen,
    /// Of one core each, from the start to the end of the window.
    busy_shares: Vec<f64>,
}

impl ExchangeSum {
    /// Adds one thread.
    pub fn merge(&mut self, exchanged: &Exchanged, seen: &Seen, durations: Durations) {
        self.exchanged.merge(exchanged);
        self.seen.merge(seen);
        let started_at = seen.window_start.saturating_sub(durations.warm_up_ns);
        let whole_ns = seen.ended_at.saturating_sub(started_at);
        self.busy_shares.push(share(seen.busy_ns, whole_ns));
    }

    /// How many messages of the window were taken up, sent or not.
    pub fn taken(&self) -> u64 {
        self.exchanged.sent + self.exchanged.unsent
    }

    /// How long the window was: shorter than planned when interrupted.
    pub fn window_ns(&self) -> Nanos {
        self.seen.ended_at.saturating_sub(self.seen.window_start)
    }

    /// Judges, and puts it as it is printed.
    ///
    /// `offered` is how many messages of an open loop were due within the window.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a rate needs no more than 53 bits"
    )]
    pub fn result(&self, offered: Option<u64>, ended: Ended) -> ExchangeResult {
        let exchanged = &self.exchanged;
        let window_s = self.window_ns() as f64 / 1e9;
        let rate = |messages: u64| {
            if window_s > 0.0 {
                messages as f64 / window_s
            } else {
                0.0
            }
        };
        let open_loop = offered.map(|offered| OpenLoop {
            lateness_ns: &exchanged.recorder.lateness_ns,
            offered_rate_per_s: rate(offered),
            sent_rate_per_s: rate(exchanged.sent),
            achieved_rate_per_s: rate(exchanged.echoed),
        });
        let limit = generator_limited(&Generator {
            busy_shares: &self.busy_shares,
            open_loop,
        });
        let mut failures = self.seen.failures.clone();
        failures.merge(&exchanged.failures);
        ExchangeResult {
            connections: self.seen.opened,
            sent: exchanged.sent,
            echoed: exchanged.echoed,
            unsent: exchanged.unsent,
            offered_rate_per_s: offered.map(rate),
            achieved_rate_per_s: rate(exchanged.echoed),
            response_time_ns: buckets(&exchanged.recorder.response_time_ns),
            service_time_ns: buckets(&exchanged.recorder.service_time_ns),
            lateness_ns: buckets(&exchanged.recorder.lateness_ns),
            connect_tcp_time_ns: buckets(&self.seen.times.tcp_time_ns),
            connect_tls_time_ns: buckets(&self.seen.times.tls_time_ns),
            connect_upgrade_time_ns: buckets(&self.seen.times.upgrade_time_ns),
            connect_response_time_ns: buckets(&self.seen.times.response_time_ns),
            failures: rows(&failures),
            tls: self.seen.tls.as_ref().map(|agreed| TlsRow {
                version: agreed.version.clone(),
                cipher_suite: agreed.cipher_suite.clone(),
                resumed: self.seen.resumed,
            }),
            read_bytes: self.seen.read_bytes,
            read_calls: self.seen.read_calls,
            written_bytes: self.seen.written_bytes,
            write_calls: self.seen.write_calls,
            busy_shares: self.busy_shares.clone(),
            generator_limited: limit.map(describe),
            window_ns: self.window_ns(),
            ended,
        }
    }
}

/// The result of receive.
#[derive(Debug, Serialize)]
pub struct ReceiveResult {
    connections: u64,
    messages: u64,
    bytes: u64,
    opened_ns: Nanos,
    received_ns: Nanos,
    wrong: u64,
    wire_bytes: u64,
    read_calls: u64,
    busy_share: f64,
    ended: Ended,
}

/// What all threads of receive together have come to.
#[derive(Debug, Default)]
pub struct ReceiveSum {
    received: Received,
    seen: Seen,
}

impl ReceiveSum {
    /// Adds one thread.
    pub fn merge(&mut self, workload: Receive, seen: &Seen) {
        self.received.merge(workload.received);
        self.seen.merge(seen);
    }

    /// Puts it as it is printed, and logs an example of each thing that went wrong.
    ///
    /// # Errors
    ///
    /// When no connection was opened, for another reason than that time was over.
    pub fn result(
        &self,
        planned: u64,
        url: &str,
        is_interrupted: bool,
    ) -> anyhow::Result<ReceiveResult> {
        let Self { received, seen } = self;
        let failed = seen.failures.iter().next();
        let Some((opened_ns, opened_cpu_ns)) = seen.first_opened else {
            return match failed {
                _ if is_interrupted => Ok(self.as_ended(Ended::Interrupted, 0, 0.0)),
                Some((kind, failure)) if kind != FailureKind::Timeout => {
                    bail!(
                        "cannot connect to {url}: {}: {}",
                        kind.name(),
                        failure.example
                    )
                }
                _ => Ok(self.as_ended(Ended::Timeout, 0, 0.0)),
            };
        };
        if let Some(example) = &received.wrong_example {
            crate::log(&format!(
                "{} wrong messages, the first: {example}",
                received.wrong
            ));
        }
        let ended = match failed {
            _ if received.counts.messages == planned => Ended::Complete,
            _ if is_interrupted => Ended::Interrupted,
            None => Ended::Timeout,
            Some((kind, failure)) => {
                let (ended, what) = match kind {
                    FailureKind::Close => (Ended::Closed, "the server closed"),
                    FailureKind::Protocol => (Ended::Violation, "the server broke the protocol"),
                    FailureKind::Timeout => (Ended::Timeout, "time was over"),
                    _ => (Ended::Reset, "a connection broke"),
                };
                crate::log(&format!("{what}: {}", failure.example));
                ended
            }
        };
        let busy_ns = seen.cpu_ns.saturating_sub(opened_cpu_ns);
        let whole_ns = received.received_ns.saturating_sub(opened_ns);
        Ok(self.as_ended(ended, opened_ns, share(busy_ns, whole_ns)))
    }

    fn as_ended(&self, ended: Ended, opened_ns: Nanos, busy_share: f64) -> ReceiveResult {
        let Self { received, seen } = self;
        ReceiveResult {
            connections: seen.opened,
            messages: received.counts.messages,
            bytes: received.counts.bytes,
            opened_ns,
            received_ns: received.received_ns.max(opened_ns),
            wrong: received.wrong,
            wire_bytes: seen.read_bytes,
            read_calls: seen.read_calls,
            busy_share,
            ended,
        }
    }
}

/// `part / whole`, and 0 where there is no whole.
#[expect(
    clippy::cast_precision_loss,
    reason = "a share needs no more than 53 bits"
)]
fn share(part: Nanos, whole: Nanos) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

fn buckets(histogram: &Histogram) -> Buckets {
    histogram.buckets().collect()
}

fn rows(failures: &Failures) -> Vec<FailureRow> {
    failures
        .iter()
        .map(|(kind, failure)| FailureRow {
            kind: kind.name(),
            count: failure.count,
            example: failure.example.clone(),
        })
        .collect()
}

fn describe(limit: GeneratorLimit) -> String {
    match limit {
        GeneratorLimit::Behind {
            offered_rate_per_s,
            sent_rate_per_s,
        } => {
            format!("sent {sent_rate_per_s:.0} of {offered_rate_per_s:.0} messages a second")
        }
        GeneratorLimit::Late { lateness_ns } => {
            format!("one message in a hundred was sent {lateness_ns} ns late, or later")
        }
        GeneratorLimit::Busy { thread, busy_share } => {
            format!(
                "thread {thread} was busy {:.0} % of the time",
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
