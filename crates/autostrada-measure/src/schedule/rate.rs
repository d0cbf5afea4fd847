//! A rate as an exact fraction: messages per time.

use thiserror::Error;

use crate::{Nanos, integer};

/// Largest denominator of a rate, in nanoseconds: 31 years.
const PER_NS_MAX: Nanos = 1_000_000_000_000_000_000;

/// A rate of messages, as an exact fraction: one message per minute has no finite decimal value per
/// second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// At most `per_ns`, without a common divisor; 0 only in `ZERO`.
    pub(super) messages: u64,
    /// From 1 to `PER_NS_MAX`.
    pub(super) per_ns: Nanos,
}

impl Rate {
    /// No messages: the rate at which a ramp may begin or end.
    pub const ZERO: Self = Self {
        messages: 0,
        per_ns: 1,
    };

    /// Creates a rate of `messages` per `per_ns` nanoseconds.
    pub fn new(messages: u64, per_ns: Nanos) -> Result<Self, RateError> {
        if messages == 0 || per_ns > PER_NS_MAX {
            return Err(RateError::TooLow);
        }
        if messages > per_ns {
            return Err(RateError::TooHigh);
        }
        let divisor = greatest_common_divisor(messages, per_ns);
        Ok(Self {
            messages: messages / divisor,
            per_ns: per_ns / divisor,
        })
    }

    /// Creates a rate in messages per second, rounded to 10^-9: 0.1 is exactly one tenth, not the
    /// nearest binary fraction.
    pub fn per_second(rate_per_s: f64) -> Result<Self, RateError> {
        if rate_per_s > 1e9 {
            return Err(RateError::TooHigh);
        }
        let billionths = (rate_per_s * 1e9).round();
        if billionths.is_nan() || billionths < 1.0 {
            return Err(RateError::TooLow);
        }
        Self::new(integer(billionths), PER_NS_MAX)
    }

    /// Returns the rate in messages per second, for display and for ratios.
    pub fn per_s(self) -> f64 {
        self.per_nanosecond() * 1e9
    }

    /// Returns the rate in messages per nanosecond, exact to 10^-15.
    pub(super) fn per_nanosecond(self) -> f64 {
        self.messages as f64 / self.per_ns as f64
    }
}

/// The reason why a number is not a valid rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum RateError {
    /// The rate is zero, negative, NaN, or less than 10^-9 messages per second, or its time is
    /// longer than 31 years.
    #[error("a rate must be above 0: give at least 0.000000001 messages per second")]
    TooLow,
    #[error(
        "a rate must be at most one message per nanosecond: give at most 1000000000 per second"
    )]
    TooHigh,
}

/// Returns the greatest common divisor, by Euclid's algorithm.
fn greatest_common_divisor(mut left: u64, mut right: u64) -> u64 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}
