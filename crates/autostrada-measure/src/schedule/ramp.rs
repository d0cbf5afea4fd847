//! A rate that changes linearly and is constant afterwards; arrivals follow from its integral.

use super::line::Line;
use super::rate::Rate;
use crate::{Nanos, integer};

/// A ramp with precomputed values. Rates are in messages per nanosecond.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ramp {
    from: f64,
    to: f64,
    over_ns: Nanos,
    /// 2 × |to − from| / over; not used if over is 0.
    twice_slope: f64,
    /// The part of the first message after the ramp that is still missing at the end of the ramp.
    wait: f64,
    /// The messages that are due at the end of the ramp and later.
    pub hold: Line,
}

impl Ramp {
    pub fn new(from: Rate, to: Rate, over_ns: Nanos) -> Self {
        // The integral is over × (from + to) / 2: whole messages, and a part of one.
        let (from_whole, from_part) = half_area(from, over_ns);
        let (to_whole, to_part) = half_area(to, over_ns);
        let part = from_part + to_part;
        let wait = part.ceil() - part;
        let first =
            u128::from(from_whole) + u128::from(to_whole) + u128::from(integer(part.ceil()));
        let change = to.per_nanosecond() - from.per_nanosecond();
        Self {
            from: from.per_nanosecond(),
            to: to.per_nanosecond(),
            over_ns,
            twice_slope: 2.0 * change.abs() / real(over_ns),
            wait,
            hold: Line {
                start: over_ns,
                first: u64::try_from(first).unwrap_or(u64::MAX),
                phase: integer((wait * real(to.per_ns)).round()),
                rate: to,
            },
        }
    }

    /// Returns when a message within the ramp is due, to the nearest nanosecond.
    ///
    /// The time is computed from the end of the ramp with the lower rate, because the difference of
    /// two large integrals would lose precision.
    #[inline]
    pub fn due_within(&self, number: u64) -> Nanos {
        let due = if self.to < self.from {
            let left = real(self.hold.first - number) - self.wait;
            real(self.over_ns) - self.time_for(left, self.to)
        } else {
            self.time_for(real(number), self.from)
        };
        // Negative only by rounding; the largest instant means never.
        integer(due.round()).min(self.over_ns)
    }

    /// Returns the time that `messages` take from the lower end of the ramp on, in nanoseconds.
    ///
    /// Solves low × t + slope × t² / 2 = messages. The formula has the root in the denominator, so
    /// that it is also valid for slope 0.
    #[inline]
    fn time_for(&self, messages: f64, low: f64) -> f64 {
        if messages <= 0.0 {
            return 0.0;
        }
        2.0 * messages / (low + (low * low + self.twice_slope * messages).sqrt())
    }

    /// Returns the number of messages that are due before `end`.
    pub fn count_until(&self, end: Nanos) -> u64 {
        if end > self.over_ns {
            return self.hold.first.saturating_add(self.hold.count_until(end));
        }
        let time = real(end);
        let mean_rate =
            self.from + (self.to - self.from) * (time / real(self.over_ns.max(1))) / 2.0;
        let mut count = integer((mean_rate * time).ceil()).min(self.hold.first);
        // Corrects the rounding of the estimate; `due_within` is authoritative.
        while count < self.hold.first && self.due_within(count) < end {
            count += 1;
        }
        while count > 0 && self.due_within(count - 1) >= end {
            count -= 1;
        }
        count
    }

    /// Returns the rate at an instant, in messages per second.
    pub fn rate_per_s(&self, at: Nanos) -> f64 {
        if at >= self.over_ns {
            return self.to * 1e9;
        }
        let share = real(at) / real(self.over_ns);
        (self.from + (self.to - self.from) * share) * 1e9
    }
}

/// Returns half of rate × time: whole messages, and the remaining part of a message.
fn half_area(rate: Rate, over_ns: Nanos) -> (u64, f64) {
    let area = u128::from(over_ns) * u128::from(rate.messages);
    let divisor = 2 * u128::from(rate.per_ns);
    let part = u64::try_from(area % divisor).expect("2 × 10^18 is less than 2^64");
    let messages = u64::try_from(area / divisor).expect("at most one message in two nanoseconds");
    (messages, real(part) / (2.0 * real(rate.per_ns)))
}

#[inline]
fn real(value: u64) -> f64 {
    value as f64
}
