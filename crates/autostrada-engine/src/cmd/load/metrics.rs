//! The metrics of a load, each computed from its result: `docs/format.md`.
//!
//! Conditions, CSV and Markdown have the metrics of this list, in its order.

use schemars::JsonSchema;
use serde::Serialize;

use super::measured::Measured;
use super::times::{at_quantile, seconds_at};
use super::written;
use crate::client::{ExchangeRow, LoadSecond};

/// A metric of a load.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// The name by which conditions refer to it.
    pub name: &'static str,
    /// What it is, for tables.
    pub title: &'static str,
    /// The unit of its values.
    pub unit: Unit,
    value: fn(&Measured) -> Option<f64>,
    /// Its value in one second, which is `None` without messages; `None` if a second does not show
    /// it.
    pub of_second: Option<fn(&LoadSecond) -> Option<f64>>,
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

/// Quantiles of the response time by their names.
pub const QUANTILES: [(&str, f64); 6] = [
    ("p50", 0.5),
    ("p90", 0.9),
    ("p99", 0.99),
    ("p99.9", 0.999),
    ("p99.99", 0.9999),
    ("max", 1.0),
];

/// All metrics.
pub const METRICS: &[Metric] = &[
    metric("rate", "messages per second", Unit::PerSecond, rate),
    metric(
        "achieved",
        "achieved share of the load",
        Unit::Share,
        |load| {
            let exchange = load.exchange()?;
            let of_deliveries = || load.deliveries()?.achieved_share;
            exchange.achieved_share.or_else(of_deliveries)
        },
    ),
    metric("errors", "failures per message", Unit::Share, errors).each_second(errors_of_second),
    metric("p50", "median response time", Unit::Seconds, |load| {
        response(load, 0.5)
    })
    .each_second(|second| response_of_second(second, 0.5)),
    metric("p90", "90 % quantile", Unit::Seconds, |load| {
        response(load, 0.9)
    })
    .each_second(|second| response_of_second(second, 0.9)),
    metric("p95", "95 % quantile", Unit::Seconds, |load| {
        response(load, 0.95)
    })
    .each_second(|second| response_of_second(second, 0.95)),
    metric("p99", "99 % quantile", Unit::Seconds, |load| {
        response(load, 0.99)
    })
    .each_second(|second| response_of_second(second, 0.99)),
    metric("p99.9", "99.9 % quantile", Unit::Seconds, |load| {
        response(load, 0.999)
    })
    .each_second(|second| response_of_second(second, 0.999)),
    metric("p99.99", "99.99 % quantile", Unit::Seconds, |load| {
        response(load, 0.9999)
    })
    .each_second(|second| response_of_second(second, 0.9999)),
    metric("max", "longest response time", Unit::Seconds, |load| {
        response(load, 1.0)
    })
    .each_second(|second| response_of_second(second, 1.0)),
    metric(
        "first-message-p50",
        "median time to the first message",
        Unit::Seconds,
        |load| at_quantile(&load.exchange()?.first_message_time_ns, 0.5),
    ),
    metric(
        "first-message-p99",
        "99 % quantile of the first message",
        Unit::Seconds,
        |load| at_quantile(&load.exchange()?.first_message_time_ns, 0.99),
    ),
    metric(
        "gap-p99",
        "99 % quantile between two messages",
        Unit::Seconds,
        |load| at_quantile(&load.exchange()?.message_gap_ns, 0.99),
    ),
    metric(
        "delivered",
        "share of the deliveries due that were received",
        Unit::Share,
        |load| Some(1.0 - load.deliveries()?.lost_share()?),
    ),
    metric(
        "delivery-p50",
        "median time to the last receiver",
        Unit::Seconds,
        |load| at_quantile(&load.deliveries()?.last_receiver_time_ns, 0.5),
    ),
    metric(
        "delivery-p99",
        "99 % quantile of the last receiver",
        Unit::Seconds,
        |load| at_quantile(&load.deliveries()?.last_receiver_time_ns, 0.99),
    ),
    metric("connections", "connections opened", Unit::Count, |load| {
        Some(count(load.result.connections))
    }),
    metric(
        "connect-p50",
        "median connection time",
        Unit::Seconds,
        |load| at_quantile(&load.result.connect_response_time_ns, 0.5),
    ),
    metric("connect-p99", "99 % quantile", Unit::Seconds, |load| {
        at_quantile(&load.result.connect_response_time_ns, 0.99)
    }),
    metric(
        "ping-p50",
        "median round trip of pings",
        Unit::Seconds,
        |load| at_quantile(&load.result.pings.as_ref()?.round_trip_ns, 0.5),
    ),
    metric(
        "ping-p99",
        "99 % quantile of pings",
        Unit::Seconds,
        |load| at_quantile(&load.result.pings.as_ref()?.round_trip_ns, 0.99),
    ),
    metric(
        "recovery-p50",
        "median time to reconnect",
        Unit::Seconds,
        |load| at_quantile(&load.recovery()?.recovery_time_ns, 0.5),
    ),
    metric(
        "recovery-p99",
        "99 % quantile of reconnecting",
        Unit::Seconds,
        |load| at_quantile(&load.recovery()?.recovery_time_ns, 0.99),
    ),
    metric(
        "generator-cpu",
        "busiest thread of the generator",
        Unit::Share,
        |load| (!load.result.utilizations.is_empty()).then(|| load.busiest_utilization()),
    ),
    metric(
        "generator-limited",
        "whether the generator was the limit",
        Unit::Count,
        |load| Some(f64::from(u8::from(load.result.generator_limited.is_some()))),
    ),
    metric(
        "server-cpu",
        "CPU of the server, of a core",
        Unit::Share,
        |load| Some(load.server.as_ref()?.cpu_utilization),
    ),
    metric(
        "server-thread-cpu",
        "busiest thread of the server",
        Unit::Share,
        |load| load.server.as_ref()?.busiest_thread_share,
    ),
    metric(
        "server-memory",
        "memory of the server",
        Unit::Bytes,
        |load| Some(count(load.server.as_ref()?.resident_bytes_max)),
    ),
];

const fn metric(
    name: &'static str,
    title: &'static str,
    unit: Unit,
    value: fn(&Measured) -> Option<f64>,
) -> Metric {
    Metric {
        name,
        title,
        unit,
        value,
        of_second: None,
    }
}

/// A metric that a load has.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ReportedMetric")]
pub struct MetricRow {
    /// The name by which conditions refer to it.
    name: &'static str,
    /// What it is.
    title: &'static str,
    /// The unit of the value, as in the head of a CSV file.
    unit: &'static str,
    /// Its value.
    value: f64,
    /// The value in words, with its unit.
    text: String,
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

    const fn each_second(mut self, of_second: fn(&LoadSecond) -> Option<f64>) -> Self {
        self.of_second = Some(of_second);
        self
    }

    /// Returns its value of a load; `None` if the load does not have it.
    pub fn value(&self, load: &Measured) -> Option<f64> {
        (self.value)(load)
    }

    /// Returns it with its value; `None` if the load does not have it.
    pub fn row(&self, load: &Measured) -> Option<MetricRow> {
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
            Self::Seconds => written::duration(value),
            Self::PerSecond => format!("{}/s", written::per_s(value)),
            Self::Share => written::percent(value),
            Self::Count => written::whole(value),
            Self::Bytes => written::bytes(value),
        }
    }
}

/// Returns the messages in a second of the window.
fn rate(load: &Measured) -> Option<f64> {
    let window_s = load.window_s();
    (window_s > 0.0).then(|| count(load.messages()) / window_s)
}

/// Returns failures, messages without an answer and lost deliveries, as a share of messages and
/// these; `None` if it is not known how many deliveries were due.
fn errors(load: &Measured) -> Option<f64> {
    let lost = match (load.deliveries(), load.exchange()) {
        (Some(deliveries), _) => deliveries.lost?,
        // Hosts timed messages that they sent to each other.
        (None, Some(exchange)) if exchange.clock_bound_ns.is_some() => return None,
        _ => 0,
    };
    let counted = |kinds: &[&str]| -> u64 {
        let failures = load.result.failures.iter();
        let failures = failures.filter(|failure| kinds.contains(&failure.kind.as_str()));
        failures.map(|failure| failure.count).sum()
    };
    let all: u64 = load
        .result
        .failures
        .iter()
        .map(|failure| failure.count)
        .sum();
    let unanswered = load.exchange().map_or(0, ExchangeRow::unanswered);
    // A message whose answer is late or wrong is a failure already.
    let of_messages = counted(&["timeout", "mismatch"]);
    share_of_failed(
        all + lost + unanswered.saturating_sub(of_messages),
        load.messages(),
    )
}

fn errors_of_second(second: &LoadSecond) -> Option<f64> {
    share_of_failed(second.tally.failures, second.tally.messages)
}

fn share_of_failed(failed: u64, messages: u64) -> Option<f64> {
    let all = failed + messages;
    (all > 0).then(|| count(failed) / count(all))
}

/// Returns a quantile of the response time, or of the delivery time of a feed, in seconds.
fn response(load: &Measured, quantile: f64) -> Option<f64> {
    seconds_at(&load.response_times()?, quantile)
}

fn response_of_second(second: &LoadSecond, quantile: f64) -> Option<f64> {
    at_quantile(second.times(), quantile)
}

fn count(number: u64) -> f64 {
    number as f64
}
