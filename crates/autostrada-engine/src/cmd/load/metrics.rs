//! The metrics of a load, each computed from its result: `docs/format.md`.

use std::str::FromStr;

use autostrada_measure::Histogram;
use serde_json::Value;

use super::written;

/// A metric of a load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Metric {
    /// Messages answered, or received, in a second of the window.
    Rate,
    /// Share of the messages due within the window that the server kept up with.
    Achieved,
    /// Failures as a share of messages and failures.
    Errors,
    /// A quantile of the response time, or of the delivery time of a feed.
    Quantile(&'static str, f64),
}

/// Quantiles by their names.
pub const QUANTILES: [(&str, f64); 6] = [
    ("p50", 0.5),
    ("p90", 0.9),
    ("p99", 0.99),
    ("p99.9", 0.999),
    ("p99.99", 0.9999),
    ("max", 1.0),
];

/// The unit of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Messages a second.
    PerSecond,
    /// A share, in [0, 1].
    Share,
}

impl FromStr for Metric {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "rate" => Ok(Self::Rate),
            "achieved" => Ok(Self::Achieved),
            "errors" => Ok(Self::Errors),
            _ => QUANTILES
                .into_iter()
                .find(|(known, _)| *known == name)
                .map(|(name, quantile)| Self::Quantile(name, quantile))
                .ok_or_else(|| {
                    let known = QUANTILES.map(|(name, _)| name).join(", ");
                    format!("{name:?} is no metric: choose rate, achieved, errors, {known}")
                }),
        }
    }
}

impl Metric {
    /// Returns the name by which conditions refer to it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rate => "rate",
            Self::Achieved => "achieved",
            Self::Errors => "errors",
            Self::Quantile(name, _) => name,
        }
    }

    /// Returns the unit of its values.
    pub fn unit(self) -> Unit {
        match self {
            Self::Rate => Unit::PerSecond,
            Self::Achieved | Self::Errors => Unit::Share,
            Self::Quantile(..) => Unit::Seconds,
        }
    }

    /// Returns its value in a result; `None` if the result does not have it.
    #[expect(
        clippy::cast_precision_loss,
        reason = "durations are shorter than an hour"
    )]
    pub fn value(self, result: &Value) -> Option<f64> {
        let exchange = &result["exchange"];
        let messages = exchange["completed"]
            .as_f64()
            .or_else(|| result["messages"].as_f64());
        match self {
            Self::Rate => {
                let window_s = result["window_ns"].as_f64()? / 1e9;
                (window_s > 0.0).then_some(messages? / window_s)
            }
            Self::Achieved => exchange["achieved_share"].as_f64(),
            Self::Errors => {
                let failures = result["failures"].as_array()?;
                let failed: f64 = failures
                    .iter()
                    .filter_map(|each| each["count"].as_f64())
                    .sum();
                let all = messages? + failed;
                (all > 0.0).then_some(failed / all)
            }
            Self::Quantile(_, quantile) => {
                let of_exchange = histogram(&exchange["response_time_ns"]);
                let histogram = of_exchange.or_else(|| histogram(&result["delivery_time_ns"]))?;
                Some(histogram.duration_at_quantile(quantile)? as f64 / 1e9)
            }
        }
    }
}

impl Unit {
    /// Formats a value.
    pub fn write(self, value: f64) -> String {
        match self {
            Self::Seconds => written::duration(value),
            Self::PerSecond => format!("{}/s", written::whole(value)),
            Self::Share => written::percent(value),
        }
    }
}

/// Returns a histogram of buckets in a result; `None` if there are none.
pub fn histogram(buckets: &Value) -> Option<Histogram> {
    let pairs = buckets.as_array()?.iter();
    let pairs = pairs.map(|pair| Some((pair[0].as_u64()?, pair[1].as_u64()?)));
    let pairs: Option<Vec<_>> = pairs.collect();
    let histogram = Histogram::from_buckets(pairs?).ok()?;
    (histogram.count() > 0).then_some(histogram)
}
