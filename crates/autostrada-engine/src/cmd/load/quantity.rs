//! Numbers with units, as options take them: counts, durations, sizes and rates.

use std::str::FromStr;

use autostrada_measure::integer;
use serde::Serialize;
use serde_json::{Value, json};

use super::number_format;

/// Maximum of a rate, in messages per second.
const RATE_PER_S_MAX: f64 = 1e9;

/// A number of things: `250`, `10k`, `1.5m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Count(pub u64);

impl FromStr for Count {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not a whole number such as 250, 10k or 1m");
        let count = number(text).ok_or_else(wrong)?;
        if count.fract() != 0.0 || count > 2f64.powi(53) {
            return Err(wrong());
        }
        Ok(Self(integer(count)))
    }
}

/// A duration in seconds: `500ms`, `10s`, `2m`, `1h`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seconds(pub f64);

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not a duration such as 500ms, 10s, 2m or 1h");
        let (number, unit) = split(text);
        let factor = match unit {
            "us" | "µs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            "" if number.is_some() => {
                return Err(format!("{text:?} has no unit: write {text}s or {text}ms"));
            }
            _ => return Err(wrong()),
        };
        Ok(Self(number.ok_or_else(wrong)? * factor))
    }
}

/// A size in bytes: `640`, `64KiB`, `1MiB`, `10kB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes(pub u64);

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not a size such as 640, 64KiB or 1MiB");
        let (number, unit) = split(text);
        let factor = match unit {
            "" | "B" => 1,
            "kB" => 1000,
            "KiB" => 1024,
            "MB" => 1_000_000,
            "MiB" => 1024 * 1024,
            _ => return Err(wrong()),
        };
        let number = number.filter(|each| each.fract() == 0.0 && *each < 2f64.powi(53));
        let number = integer(number.ok_or_else(wrong)?);
        number.checked_mul(factor).map(Self).ok_or_else(wrong)
    }
}

/// The rate of an open loop: `5k/s` in total, `5/s/conn` on each connection, `100..5k/s` as a
/// ramp, or `poisson:5k/s` with random arrivals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// The rate at the start of a ramp; `None` for a constant mean rate.
    from_per_s: Option<f64>,
    per_s: f64,
    /// Whether the rate is that of each connection.
    pub is_of_each_connection: bool,
    is_random: bool,
}

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("{text:?} is not a rate such as 5k/s, 5/s/conn, 100..5k/s or poisson:5k/s");
        let (is_random, rate) = match text.strip_prefix("poisson:") {
            Some(rate) => (true, rate),
            None => (false, text),
        };
        let (numbers, is_of_each_connection) = if let Some(numbers) = rate.strip_suffix("/s/conn") {
            (numbers, true)
        } else if let Some(numbers) = rate.strip_suffix("/s") {
            (numbers, false)
        } else if number(rate).is_some() {
            return Err(format!(
                "{text:?} names no unit: write {text}/s for all connections together, or \
                 {text}/s/conn for each"
            ));
        } else {
            return Err(wrong());
        };
        let (from, to) = match numbers.split_once("..") {
            Some((from, to)) => (Some(number(from).ok_or_else(wrong)?), to),
            None => (None, numbers),
        };
        let per_s = number(to).ok_or_else(wrong)?;
        if per_s <= 0.0 || from.unwrap_or(0.0).max(per_s) > RATE_PER_S_MAX {
            return Err(format!("{text:?}: a rate is above 0 and at most 1000m/s"));
        }
        if is_random && from.is_some() {
            return Err(format!("{text:?}: a ramp is not random: remove poisson:"));
        }
        Ok(Self {
            from_per_s: from,
            per_s,
            is_of_each_connection,
            is_random,
        })
    }
}

impl Rate {
    /// Returns the rate of a message in this time on each connection.
    pub fn every(seconds: f64) -> Self {
        Self {
            from_per_s: None,
            per_s: 1.0 / seconds,
            is_of_each_connection: true,
            is_random: false,
        }
    }

    /// Returns the schedule of a plan; a ramp takes `over_s`.
    pub fn schedule(&self, over_s: f64) -> Value {
        let per = if self.is_of_each_connection {
            "connection"
        } else {
            "total"
        };
        let rate_per_s = self.per_s;
        match self.from_per_s {
            Some(from_per_s) => json!({
                "kind": "ramp", "from_per_s": from_per_s, "to_per_s": rate_per_s,
                "over_s": over_s, "per": per,
            }),
            None if self.is_random => {
                json!({"kind": "poisson", "rate_per_s": rate_per_s, "per": per})
            }
            None => json!({"kind": "constant", "rate_per_s": rate_per_s, "per": per}),
        }
    }

    /// Returns the rate of all of this many connections together, in messages per second: the
    /// largest one of a ramp.
    pub fn total_per_s(&self, connections: u64) -> f64 {
        if self.is_of_each_connection {
            self.per_s * connections as f64
        } else {
            self.per_s
        }
    }

    /// Says the rate after a number of connections: `, 1,000/s in total`.
    pub fn words(&self, connections: u64) -> String {
        let ramp = self.from_per_s.map_or_else(String::new, |from_per_s| {
            format!("{} to ", thousandths(from_per_s))
        });
        let random = if self.is_random { ", Poisson" } else { "" };
        let rate = format!("{ramp}{}/s", thousandths(self.per_s));
        if self.is_of_each_connection && self.is_constant() {
            return format!(
                " × {rate} = {}/s",
                number_format::per_s(self.total_per_s(connections))
            );
        }
        let of = if self.is_of_each_connection {
            "on each"
        } else {
            "in total"
        };
        format!(", {rate} {of}{random}")
    }

    /// Whether the rate is neither a ramp nor random.
    pub fn is_constant(&self) -> bool {
        self.from_per_s.is_none() && !self.is_random
    }
}

/// Formats a rate with up to three decimals, in groups of three digits.
fn thousandths(rate: f64) -> String {
    if rate.fract() == 0.0 {
        number_format::whole(rate)
    } else {
        ((rate * 1e3).round() / 1e3).to_string()
    }
}

/// Parses a number with `k` or `m`, not necessarily whole.
fn number(text: &str) -> Option<f64> {
    let (number, unit) = split(text);
    let factor = match unit {
        "" => 1.0,
        "k" | "K" => 1e3,
        "m" | "M" => 1e6,
        _ => return None,
    };
    number.map(|number| number * factor)
}

/// Splits a text into a number that is not negative and the unit after it.
fn split(text: &str) -> (Option<f64>, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_')
        .unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let number = digits.replace('_', "").parse().ok();
    (number.filter(|number: &f64| number.is_finite()), unit)
}

/// Parses a share: `10%` or `0.1`.
/// Returns an error if it is not above 0 and at most 1.
pub fn share(text: &str) -> Result<f64, String> {
    let (number, factor) = match text.strip_suffix('%') {
        Some(number) => (number, 0.01),
        None => (text, 1.0),
    };
    let share = number.parse().map(|number: f64| number * factor);
    share
        .ok()
        .filter(|share| *share > 0.0 && *share <= 1.0)
        .ok_or_else(|| format!("{text:?} is not a share above 0 such as 10% or 0.1"))
}

#[cfg(test)]
#[path = "tests/quantity.rs"]
mod tests;
