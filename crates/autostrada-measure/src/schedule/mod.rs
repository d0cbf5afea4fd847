//! When each message is due: a plan as a value, computed from the plan and never from a send.

mod arrivals;
mod line;
mod poisson;
mod ramp;
mod rate;
mod share;

pub use arrivals::Arrivals;
pub use rate::{Rate, RateError};
pub use share::Share;

use self::line::Line;
use self::ramp::Ramp;
use crate::Nanos;

/// A plan of an open loop: it says when messages are due, whatever the peer does.
///
/// Instants are offsets from the start of the schedule. With `N(t)` for the integral of the rate
/// from 0 to `t`, message number `n`, counted from 0, is due at the last whole nanosecond at which
/// `N(t) <= n`, and never if `N` does not exceed `n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// The same rate for ever. Exact: no rounding adds up.
    Constant {
        /// Over all connections.
        rate: Rate,
    },
    /// A rate that grows or falls evenly, and then holds.
    ///
    /// To the nearest nanosecond while it changes, and exact from then on.
    Ramp {
        /// At the start; may be zero.
        from: Rate,
        /// At `over_ns` and ever after; with zero, the messages come to an end.
        to: Rate,
        /// How long the change takes.
        over_ns: Nanos,
    },
    /// Independent arrivals of a mean rate: exponential gaps, as of many users who do not know of
    /// one another. Divided into other shares, it is another draw of the same process.
    Poisson {
        /// The mean, over all connections.
        rate: Rate,
        /// The same seed makes the same arrivals, on every machine.
        seed: u64,
    },
}

impl Schedule {
    /// When message `number` of the whole schedule is due; `None` if never.
    ///
    /// Computed from the number, never from the previous send: a late send must not postpone the
    /// ones after it, or the stall that made it late would vanish from the record (coordinated
    /// omission). Poisson arrivals have no closed form, and are counted through from 0: use
    /// `arrivals` for more than a few.
    #[must_use]
    pub fn due_at(self, number: u64) -> Option<Nanos> {
        match self {
            Self::Constant { rate } => Line::constant(rate).due_at(number),
            Self::Ramp { from, to, over_ns } => Ramp::new(from, to, over_ns).due_at(number),
            Self::Poisson { .. } => {
                let mut arrivals = self.arrivals(Share::WHOLE);
                for _ in 0..number {
                    arrivals.next_due()?;
                    arrivals.advance();
                }
                arrivals.next_due()
            }
        }
    }

    /// The offered rate at an instant, in messages per second over all connections.
    #[must_use]
    pub fn offered_rate_per_s(self, at: Nanos) -> f64 {
        match self {
            Self::Constant { rate } | Self::Poisson { rate, .. } => rate.per_s(),
            Self::Ramp { from, to, over_ns } => Ramp::new(from, to, over_ns).rate_per_s(at),
        }
    }

    /// How many messages of the whole schedule are due before `end`.
    ///
    /// For Poisson arrivals this is the expected number, rounded up; how many it was is the sum
    /// of `Arrivals::taken` over the shares.
    #[must_use]
    pub fn offered_until(self, end: Nanos) -> u64 {
        match self {
            Self::Constant { rate } | Self::Poisson { rate, .. } => {
                Line::constant(rate).count_until(end)
            }
            Self::Ramp { from, to, over_ns } => Ramp::new(from, to, over_ns).count_until(end),
        }
    }

    /// The arrivals of one share, from the first on.
    #[must_use]
    pub fn arrivals(self, share: Share) -> Arrivals {
        Arrivals::new(self, share)
    }
}
