//! A rate as an exact fraction: messages in a time.

use std::error::Error;
use std::fmt;

use crate::Nanos;

/// The longest time in which a rate counts its messages: 31 years.
const PER_NS_MAX: Nanos = 1_000_000_000_000_000_000;

/// A rate of messages. Exact: one message in a minute is no decimal number per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Below `per_ns`, without a common divisor; 0 only in `ZERO`.
    pub(super) messages: u64,
    /// 1 to `PER_NS_MAX`.
    pub(super) per_ns: Nanos,
}

impl Rate {
    /// No messages: where a ramp may begin, or end.
    pub const ZERO: Self = Self {
        messages: 0,
        per_ns: 1,
    };

    /// So many messages in so many nanoseconds.
    ///
    /// # Errors
    ///
    /// When there are none, or more than one a nanosecond, or when the time is not within 31
    /// years.
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

    /// So many messages a second, to the nearest billionth: 0.1 is a tenth, not the binary
    /// fraction beside it.
    ///
    /// # Errors
    ///
    /// When it is no number, or below a billionth, or above a billion.
    pub fn per_second(rate_per_s: f64) -> Result<Self, RateError> {
        if rate_per_s > 1e9 {
            return Err(RateError::TooHigh);
        }
        let billionths = (rate_per_s * 1e9).round();
        if billionths.is_nan() || billionths < 1.0 {
            return Err(RateError::TooLow);
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 1 to 1e18 after the two checks above"
        )]
        Self::new(billionths as u64, PER_NS_MAX)
    }

    /// In messages per second, for display and for ratios.
    #[must_use]
    pub fn per_s(self) -> f64 {
        self.per_nanosecond() * 1e9
    }

    /// In messages per nanosecond.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a quotient for display and for the curve of a ramp, right to 1 in 10^15"
    )]
    pub(super) fn per_nanosecond(self) -> f64 {
        self.messages as f64 / self.per_ns as f64
    }
}

/// Why a number is not a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateError {
    /// Zero, negative, or no number.
    TooLow,
    /// More than one message a nanosecond.
    TooHigh,
}

impl fmt::Display for RateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::TooLow => "a rate must be above 0: give 0.000000001 messages a second or more",
            Self::TooHigh => {
                "a rate must be at most one message a nanosecond: give 1000000000 a second or less"
            }
        })
    }
}

impl Error for RateError {}

/// Euclid's.
fn greatest_common_divisor(mut left: u64, mut right: u64) -> u64 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}
