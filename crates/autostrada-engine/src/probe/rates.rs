//! A rate that is measured several times.

use autostrada_measure::Nanos;
use schemars::JsonSchema;
use serde::Serialize;

/// Number of measurements of each rate.
pub const ROUNDS: usize = 5;

/// Length of each measurement.
pub const ROUND_NS: Nanos = 100_000_000;

/// A rate, measured five times for a tenth of a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rates {
    /// Median of the measurements.
    median: u64,
    /// Minimum of the measurements.
    lowest: u64,
    /// Maximum of the measurements.
    highest: u64,
}

impl Rates {
    /// Returns median, minimum and maximum of the measurements.
    pub fn of(mut rates: [u64; ROUNDS]) -> Self {
        rates.sort_unstable();
        Self {
            median: rates[ROUNDS / 2],
            lowest: rates[0],
            highest: rates[ROUNDS - 1],
        }
    }
}

/// Returns a count per second, given the duration in which it was counted.
pub fn per_s(count: u64, duration_ns: Nanos) -> u64 {
    let per_s = u128::from(count) * 1_000_000_000 / u128::from(duration_ns.max(1));
    u64::try_from(per_s).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_the_one_in_the_middle_and_the_ends() {
        let rates = Rates::of([5, 900, 7, 1, 6]);
        assert_eq!((rates.median, rates.lowest, rates.highest), (6, 1, 900));
        assert_eq!(per_s(500, 100_000_000), 5_000);
        assert_eq!(per_s(u64::MAX, 1), u64::MAX);
    }
}
