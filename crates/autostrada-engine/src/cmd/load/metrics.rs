//! The metrics of a load, each computed from its result: `docs/format.md`.
//!
//! Conditions, CSV and Markdown have the metrics of this list, in its order.

use autostrada_measure::Histogram;
use serde_json::Value;

use super::written;

/// A metric of a load.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// The name by which conditions refer to it.
    pub name: &'static str,
    /// What it is, for tables.
    pub title: &'static str,
    /// The unit of its values.
    pub unit: Unit,
    value: fn(&Value) -> Option<f64>,
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
        |result| result["exchange"]["achieved_share"].as_f64(),
    ),
    metric("errors", "failures per message", Unit::Share, errors),
    metric("p50", "median response time", Unit::Seconds, |result| {
        response(result, 0.5)
    }),
    metric("p90", "90 % quantile", Unit::Seconds, |result| {
        response(result, 0.9)
    }),
    metric("p99", "99 % quantile", Unit::Seconds, |result| {
        response(result, 0.99)
    }),
    metric("p99.9", "99.9 % quantile", Unit::Seconds, |result| {
        response(result, 0.999)
    }),
    metric("p99.99", "99.99 % quantile", Unit::Seconds, |result| {
        response(result, 0.9999)
    }),
    metric("max", "longest response time", Unit::Seconds, |result| {
        response(result, 1.0)
    }),
    metric("connections", "connections opened", Unit::Count, |result| {
        result["connections"].as_f64()
    }),
    metric(
        "connect-p50",
        "median connection time",
        Unit::Seconds,
        |result| at_quantile(&result["connect_response_time_ns"], 0.5),
    ),
    metric("connect-p99", "99 % quantile", Unit::Seconds, |result| {
        at_quantile(&result["connect_response_time_ns"], 0.99)
    }),
    metric(
        "ping-p50",
        "median round trip of pings",
        Unit::Seconds,
        |result| at_quantile(&result["pings"]["round_trip_ns"], 0.5),
    ),
    metric(
        "ping-p99",
        "99 % quantile of pings",
        Unit::Seconds,
        |result| at_quantile(&result["pings"]["round_trip_ns"], 0.99),
    ),
    metric(
        "recovery-p50",
        "median time to reconnect",
        Unit::Seconds,
        |result| at_quantile(&result["recovery"]["recovery_time_ns"], 0.5),
    ),
    metric(
        "recovery-p99",
        "99 % quantile of reconnecting",
        Unit::Seconds,
        |result| at_quantile(&result["recovery"]["recovery_time_ns"], 0.99),
    ),
    metric(
        "generator-cpu",
        "busiest thread of the generator",
        Unit::Share,
        |result| {
            let shares = result["utilizations"].as_array()?.iter();
            shares.filter_map(Value::as_f64).max_by(f64::total_cmp)
        },
    ),
    metric(
        "generator-limited",
        "whether the generator was the limit",
        Unit::Count,
        |result| Some(f64::from(u8::from(result["generator_limited"].is_string()))),
    ),
    metric(
        "server-cpu",
        "CPU of the server, of a core",
        Unit::Share,
        |result| result["server"]["cpu_utilization"].as_f64(),
    ),
    metric(
        "server-thread-cpu",
        "busiest thread of the server",
        Unit::Share,
        |result| result["server"]["busiest_thread_share"].as_f64(),
    ),
    metric(
        "server-memory",
        "memory of the server",
        Unit::Bytes,
        |result| result["server"]["resident_bytes_max"].as_f64(),
    ),
];

const fn metric(
    name: &'static str,
    title: &'static str,
    unit: Unit,
    value: fn(&Value) -> Option<f64>,
) -> Metric {
    Metric {
        name,
        title,
        unit,
        value,
    }
}

impl Metric {
    /// Returns the metric of a name.
    ///
    /// # Errors
    ///
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

    /// Returns its value in a result; `None` if the result does not have it.
    pub fn value(&self, result: &Value) -> Option<f64> {
        (self.value)(result)
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
            Self::PerSecond => format!("{}/s", written::whole(value)),
            Self::Share => written::percent(value),
            Self::Count => written::whole(value),
            Self::Bytes => written::bytes(value),
        }
    }
}

/// Returns the messages that were answered in the window, or else received.
fn messages(result: &Value) -> Option<f64> {
    let completed = result["exchange"]["completed"].as_f64();
    completed.or_else(|| result["messages"].as_f64())
}

/// Returns the messages in a second of the window.
fn rate(result: &Value) -> Option<f64> {
    let window_s = result["window_ns"].as_f64()? / 1e9;
    (window_s > 0.0).then_some(messages(result)? / window_s)
}

/// Returns failures as a share of messages and failures.
fn errors(result: &Value) -> Option<f64> {
    let failures = result["failures"].as_array()?.iter();
    let failed: f64 = failures.filter_map(|each| each["count"].as_f64()).sum();
    // The sum of no numbers is -0.0.
    let failed = failed + 0.0;
    let all = messages(result)? + failed;
    (all > 0.0).then_some(failed / all)
}

/// Returns a quantile of the response time, or of the delivery time of a feed, in seconds.
fn response(result: &Value, quantile: f64) -> Option<f64> {
    let of_exchange = at_quantile(&result["exchange"]["response_time_ns"], quantile);
    of_exchange.or_else(|| at_quantile(&result["delivery_time_ns"], quantile))
}

/// Returns the response times, or the delivery times of a feed; `None` without.
pub fn response_times(result: &Value) -> Option<Histogram> {
    let of_exchange = histogram(&result["exchange"]["response_time_ns"]);
    of_exchange.or_else(|| histogram(&result["delivery_time_ns"]))
}

/// Returns the duration at a quantile of buckets, in seconds; `None` without durations.
#[expect(
    clippy::cast_precision_loss,
    reason = "durations are shorter than an hour"
)]
pub fn at_quantile(buckets: &Value, quantile: f64) -> Option<f64> {
    Some(histogram(buckets)?.duration_at_quantile(quantile)? as f64 / 1e9)
}

/// Returns a histogram of buckets in a result; `None` if there are none.
pub fn histogram(buckets: &Value) -> Option<Histogram> {
    let pairs = buckets.as_array()?.iter();
    let pairs = pairs.map(|pair| Some((pair[0].as_u64()?, pair[1].as_u64()?)));
    let pairs: Option<Vec<_>> = pairs.collect();
    let histogram = Histogram::from_buckets(pairs?).ok()?;
    (histogram.count() > 0).then_some(histogram)
}
