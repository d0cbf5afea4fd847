//! When messages are due, and how long the parts of a trial take.

use autostrada_measure::{Nanos, Rate, Schedule};
use serde::Deserialize;

use crate::plan::PlanError;

/// How long the parts of a trial take, in seconds.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phases {
    /// Opening all connections, at most.
    #[serde(default = "opening_s_default")]
    pub opening_s: f64,
    /// Before anything counts.
    #[serde(default)]
    pub warm_up_s: f64,
    /// What is due in it counts.
    pub window_s: f64,
    /// For the answers that are still to come, at most.
    #[serde(default = "drain_s_default")]
    pub drain_s: f64,
}

fn opening_s_default() -> f64 {
    60.0
}

fn drain_s_default() -> f64 {
    5.0
}

impl Phases {
    /// Checks what the types cannot.
    ///
    /// # Errors
    ///
    /// When a part is no time, or longer than a day.
    pub fn check(&self) -> Result<(), PlanError> {
        let others = [self.opening_s, self.warm_up_s, self.drain_s];
        let is_time = |seconds: &f64| (0.0..=86_400.0).contains(seconds);
        if !others.iter().all(is_time) || !is_time(&self.window_s) || self.window_s == 0.0 {
            return Err(PlanError::new(
                "phases are seconds from 0 to 86400, and window_s is above 0",
            ));
        }
        Ok(())
    }
}

/// When messages are due.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum SchedulePlan {
    /// The same rate for ever.
    Constant {
        /// Over all connections.
        rate_per_s: f64,
    },
    /// From one rate to another, which then holds.
    Ramp {
        /// At the start.
        from_per_s: f64,
        /// At the end.
        to_per_s: f64,
        /// How long it takes.
        over_s: f64,
    },
    /// Independent arrivals.
    Poisson {
        /// The mean, over all connections.
        rate_per_s: f64,
        /// The same seed makes the same arrivals.
        #[serde(default)]
        seed: u64,
    },
}

impl SchedulePlan {
    /// The schedule as a value.
    ///
    /// # Errors
    ///
    /// When a rate is zero or out of range.
    pub fn schedule(&self) -> Result<Schedule, PlanError> {
        let rate = |name: &str, rate_per_s: f64| {
            Rate::per_second(rate_per_s).map_err(|error| PlanError::new(format!("{name}: {error}")))
        };
        let rate_or_zero = |name: &str, rate_per_s: f64| {
            if rate_per_s == 0.0 {
                Ok(Rate::ZERO)
            } else {
                rate(name, rate_per_s)
            }
        };
        Ok(match *self {
            Self::Constant { rate_per_s } => Schedule::Constant {
                rate: rate("rate_per_s", rate_per_s)?,
            },
            Self::Ramp {
                from_per_s,
                to_per_s,
                over_s,
            } => Schedule::Ramp {
                from: rate_or_zero("from_per_s", from_per_s)?,
                to: rate("to_per_s", to_per_s)?,
                over_ns: nanos(over_s),
            },
            Self::Poisson { rate_per_s, seed } => Schedule::Poisson {
                rate: rate("rate_per_s", rate_per_s)?,
                seed,
            },
        })
    }
}

/// Seconds of a plan as nanoseconds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a conversion of floats saturates, and 584 years are enough"
)]
#[must_use]
pub fn nanos(seconds: f64) -> Nanos {
    (seconds * 1e9) as Nanos
}
