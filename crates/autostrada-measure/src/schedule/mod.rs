//! Schedules: when each message is due, independent of when messages are sent.

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

/// The schedule of an open loop, which does not depend on the peer.
///
/// Instants are in nanoseconds from the start of the schedule. With `N(t)` for the integral of the
/// rate from 0 to `t`, message `n`, counted from 0, is due at the last whole nanosecond at which
/// `N(t) <= n`, and never if `N` does not exceed `n`. The instant depends only on the number: if a
/// late send postponed the following ones, the stall that delayed it would be missing from the
/// results (coordinated omission).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// A constant rate. Exact: rounding does not accumulate.
    Constant {
        /// Rate of all connections together.
        rate: Rate,
    },
    /// A rate that changes linearly, and is constant afterwards.
    ///
    /// Instants are exact to the nearest nanosecond while the rate changes, and exact afterwards.
    Ramp {
        /// Rate at the start, of all connections together; may be zero.
        from: Rate,
        /// Rate from `over_ns` on; zero ends the schedule.
        to: Rate,
        /// Duration of the change, in nanoseconds.
        over_ns: Nanos,
    },
    /// A Poisson process: independent arrivals with exponential gaps, as of many independent users.
    ///
    /// Another division into shares gives another sample of the same process.
    Poisson {
        /// Mean rate of all connections together.
        rate: Rate,
        /// Seed; the same seed gives the same arrivals on every machine.
        seed: u64,
    },
}

impl Schedule {
    /// Returns the offered rate at an instant, in messages per second over all connections.
    pub fn offered_rate_per_s(self, at: Nanos) -> f64 {
        match self {
            Self::Constant { rate } | Self::Poisson { rate, .. } => rate.per_s(),
            Self::Ramp { from, to, over_ns } => Ramp::new(from, to, over_ns).rate_per_s(at),
        }
    }

    /// Returns the number of messages of the whole schedule that are due before `end`.
    ///
    /// For Poisson arrivals this is the expected number, rounded up.
    pub fn offered_until(self, end: Nanos) -> u64 {
        match self {
            Self::Constant { rate } | Self::Poisson { rate, .. } => {
                Line::constant(rate).count_until(end)
            }
            Self::Ramp { from, to, over_ns } => Ramp::new(from, to, over_ns).count_until(end),
        }
    }

    /// Returns the arrivals of one share, from the first on.
    pub fn arrivals(self, share: Share) -> Arrivals {
        Arrivals::new(self, share)
    }
}
