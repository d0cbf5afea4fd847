//! The metrics of a load, each computed from its result: `docs/format.md`.
//!
//! Conditions, CSV and Markdown have the metrics of this list, in its order.

use schemars::JsonSchema;
use serde::Serialize;

use super::measurement::Measurement;
use super::number_format;
use super::times::at_quantile;
use crate::client::{Buckets, ExchangeRow, LoadSecond};

/// A metric of a load.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// The name by which conditions refer to it.
    pub name: &'static str,
    /// What it is, for tables.
    title: &'static str,
    /// The unit of its values.
    pub unit: Unit,
    source: Source,
}

/// What a metric is computed from.
#[derive(Debug, Clone, Copy)]
enum Source {
    /// The result alone.
    Result(fn(&Measurement) -> Option<f64>),
    /// Times of the result: this quantile of them.
    Times(f64, fn(&Measurement) -> Option<&Buckets>),
    /// The response times, or the delivery times of a feed, of the result or of a second: this
    /// quantile of them.
    ResponseTimes(f64),
    /// The failures of the result, or of a second.
    Failures,
}

/// The unit of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Messages a second.
    PerSecond,
    /// A share, in [0, 1], or a share of a core.
    Share,
    /// A number of things.
    Count,
    /// Bytes.
    Bytes,
}

/// All metrics.
pub const METRICS: &[Metric] = &[
    of("rate", "messages per second").result(Unit::PerSecond, rate),
    of("achieved", "achieved share of the load").result(Unit::Share, |load| {
        let of_deliveries = || load.deliveries()?.achieved_share;
        load.exchange()?.achieved_share.or_else(of_deliveries)
    }),
    of("errors", "failures per message").metric(Unit::Share, Source::Failures),
    of("p50", "median response time").response_times(0.5),
    of("p90", "90 % quantile").response_times(0.9),
    of("p95", "95 % quantile").response_times(0.95),
    of("p99", "99 % quantile").response_times(0.99),
    of("p99.9", "99.9 % quantile").response_times(0.999),
    of("p99.99", "99.99 % quantile").response_times(0.9999),
    of("max", "longest response time").response_times(1.0),
    of("first-message-p50", "median time to the first message").times(0.5, first_message),
    of("first-message-p99", "99 % quantile of the first message").times(0.99, first_message),
    of("gap-p99", "99 % quantile between two messages")
        .times(0.99, |load| Some(&load.exchange()?.message_gap_ns)),
    of(
        "delivered",
        "share of the deliveries due that were received",
    )
    .result(Unit::Share, |load| {
        Some(1.0 - load.deliveries()?.lost_share()?)
    }),
    of("delivery-p50", "median time to the last receiver").times(0.5, last_receiver),
    of("delivery-p99", "99 % quantile of the last receiver").times(0.99, last_receiver),
    of("connections", "connections opened")
        .result(Unit::Count, |load| Some(count(load.result.connections))),
    of("connect-p50", "median connection time")
        .times(0.5, |load| Some(&load.result.connect_response_time_ns)),
    of("connect-p99", "99 % quantile")
        .times(0.99, |load| Some(&load.result.connect_response_time_ns)),
    of("ping-p50", "median round trip of pings").times(0.5, pings),
    of("ping-p99", "99 % quantile of pings").times(0.99, pings),
    of("recovery-p50", "median time to reconnect").times(0.5, recovery),
    of("recovery-p99", "99 % quantile of reconnecting").times(0.99, recovery),
    of("generator-cpu", "busiest thread of the generator").result(Unit::Share, |load| {
        (!load.result.utilizations.is_empty()).then(|| load.busiest_utilization())
    }),
    of("generator-limited", "whether the generator was the limit").result(Unit::Count, |load| {
        Some(f64::from(u8::from(load.result.generator_limited.is_some())))
    }),
    of("server-cpu", "CPU of the server, of a core").result(Unit::Share, |load| {
        Some(load.server.as_ref()?.cpu_utilization)
    }),
    of("server-thread-cpu", "busiest thread of the server").result(Unit::Share, |load| {
        load.server.as_ref()?.busiest_thread_share
    }),
    of("server-memory", "memory of the server").result(Unit::Bytes, |load| {
        Some(count(load.server.as_ref()?.resident_bytes_max))
    }),
];

/// The name of a metric, and what it is.
#[derive(Debug, Clone, Copy)]
struct Title(&'static str, &'static str);

const fn of(name: &'static str, title: &'static str) -> Title {
    Title(name, title)
}

impl Title {
    const fn metric(self, unit: Unit, source: Source) -> Metric {
        let Self(name, title) = self;
        Metric {
            name,
            title,
            unit,
            source,
        }
    }

    const fn result(self, unit: Unit, value: fn(&Measurement) -> Option<f64>) -> Metric {
        self.metric(unit, Source::Result(value))
    }

    const fn times(self, quantile: f64, times: fn(&Measurement) -> Option<&Buckets>) -> Metric {
        self.metric(Unit::Seconds, Source::Times(quantile, times))
    }

    const fn response_times(self, quantile: f64) -> Metric {
        self.metric(Unit::Seconds, Source::ResponseTimes(quantile))
    }
}

fn first_message(load: &Measurement) -> Option<&Buckets> {
    Some(&load.exchange()?.first_message_time_ns)
}

fn last_receiver(load: &Measurement) -> Option<&Buckets> {
    Some(&load.deliveries()?.last_receiver_time_ns)
}

fn pings(load: &Measurement) -> Option<&Buckets> {
    Some(&load.result.pings.as_ref()?.round_trip_ns)
}

fn recovery(load: &Measurement) -> Option<&Buckets> {
    Some(&load.recovery()?.recovery_time_ns)
}

/// A metric that a load has.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ReportedMetric")]
pub struct MetricRow {
    /// The name by which conditions refer to it.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    /// The unit of the value, as in the head of a CSV file.
    unit: &'static str,
    /// Its value.
    value: f64,
    /// The value in words, with its unit.
    pub text: String,
}

impl Metric {
    /// Returns the metric of a name.
    /// Returns a text that names all metrics if there is none of this name.
    pub fn named(name: &str) -> Result<&'static Self, String> {
        METRICS
            .iter()
            .find(|known| known.name == name)
            .ok_or_else(|| {
                let names: Vec<_> = METRICS.iter().map(|known| known.name).collect();
                format!(
                    "{name:?} is not a metric: choose one of {}",
                    names.join(", ")
                )
            })
    }

    /// Returns its value of a load; `None` if the load does not have it.
    pub fn value(&self, load: &Measurement) -> Option<f64> {
        match self.source {
            Source::Result(value) => value(load),
            Source::Times(quantile, times) => at_quantile(times(load)?, quantile),
            Source::ResponseTimes(quantile) => at_quantile(load.response_times()?, quantile),
            Source::Failures => errors(load),
        }
    }

    /// Whether a second shows it.
    pub fn is_of_seconds(&self) -> bool {
        matches!(self.source, Source::ResponseTimes(_) | Source::Failures)
    }

    /// Returns its value in a second that shows it; `None` without messages.
    pub fn value_in(&self, second: &LoadSecond) -> Option<f64> {
        match self.source {
            Source::ResponseTimes(quantile) => at_quantile(second.times(), quantile),
            Source::Failures => share_of_failed(second.tally.failures, second.tally.messages),
            Source::Result(_) | Source::Times(..) => None,
        }
    }

    /// Returns it with its value; `None` if the load does not have it.
    pub fn row(&self, load: &Measurement) -> Option<MetricRow> {
        let value = self.value(load)?;
        Some(MetricRow {
            name: self.name,
            title: self.title,
            unit: self.unit.name(),
            value,
            text: self.unit.write(value),
        })
    }

    /// Returns its name with its unit, as in the head of a CSV file.
    pub fn column(&self) -> String {
        format!(
            "{}_{}",
            self.name.replace(['-', '.'], "_"),
            self.unit.name()
        )
    }
}

impl Unit {
    /// Returns its name, as in the head of a CSV file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::PerSecond => "per_s",
            Self::Share => "share",
            Self::Count => "count",
            Self::Bytes => "bytes",
        }
    }

    /// Formats a value.
    pub fn write(self, value: f64) -> String {
        match self {
            Self::Seconds => number_format::duration(value),
            Self::PerSecond => format!("{}/s", number_format::per_s(value)),
            Self::Share => number_format::percent(value),
            Self::Count => number_format::whole(value),
            Self::Bytes => number_format::bytes(value),
        }
    }
}

/// Returns the messages in a second of the window.
fn rate(load: &Measurement) -> Option<f64> {
    let window_s = load.window_s();
    (window_s > 0.0).then(|| count(load.messages()) / window_s)
}

/// Returns failures, messages without an answer and lost deliveries, as a share of messages and
/// these; `None` if it is not known how many deliveries were due.
fn errors(load: &Measurement) -> Option<f64> {
    let lost = match (load.deliveries(), load.exchange()) {
        (Some(deliveries), _) => deliveries.lost?,
        // Hosts timed messages that they sent to each other.
        (None, Some(exchange)) if exchange.clock_bound_ns.is_some() => return None,
        _ => 0,
    };
    let all = load.result.failures(|_| true);
    let unanswered = load.exchange().map_or(0, ExchangeRow::unanswered);
    // A message whose answer is late or wrong is a failure already.
    let of_messages = load
        .result
        .failures(|kind| ["timeout", "mismatch"].contains(&kind));
    share_of_failed(
        all + lost + unanswered.saturating_sub(of_messages),
        load.messages(),
    )
}

fn share_of_failed(failed: u64, messages: u64) -> Option<f64> {
    let all = failed + messages;
    (all > 0).then(|| count(failed) / count(all))
}

fn count(number: u64) -> f64 {
    number as f64
}
