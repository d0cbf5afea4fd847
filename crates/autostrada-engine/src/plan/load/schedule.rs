//! When messages are due, and how long the parts of a trial take.

use autostrada_measure::{Nanos, Rate, Schedule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::PlanError;

/// The longest phase: a day.
const PHASE_S_MAX: f64 = 86_400.0;

/// How long the phases of a trial take, in seconds.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Phases {
    /// How long opening all connections may take.
    #[serde(default = "opening_s_default")]
    #[schemars(range(min = 0, max = PHASE_S_MAX))]
    pub opening_s: f64,
    /// How long the workload runs before anything is counted.
    #[serde(default)]
    #[schemars(range(min = 0, max = PHASE_S_MAX))]
    pub warm_up_s: f64,
    /// How long the window is: what is due in it is counted.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = PHASE_S_MAX))]
    pub window_s: f64,
    /// How long answers are waited for after the window, at most.
    #[serde(default = "drain_s_default")]
    #[schemars(range(min = 0, max = PHASE_S_MAX))]
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
        let is_time = |seconds: &f64| (0.0..=PHASE_S_MAX).contains(seconds);
        if !others.iter().all(is_time) || !is_time(&self.window_s) || self.window_s == 0.0 {
            return Err(PlanError::new(
                "phases are seconds from 0 to 86400, and window_s is above 0",
            ));
        }
        Ok(())
    }
}

/// When messages are due.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum SchedulePlan {
    /// A constant rate.
    Constant {
        /// Messages per second: a billionth to a billion.
        #[schemars(range(min = 1e-9, max = 1e9))]
        rate_per_s: f64,
        /// What the rate applies to.
        #[serde(default)]
        per: Per,
    },
    /// From one rate to another, which then holds.
    Ramp {
        /// Messages per second at the start.
        #[schemars(range(min = 0, max = 1e9))]
        from_per_s: f64,
        /// Messages per second at the end, and from then on.
        #[schemars(range(min = 1e-9, max = 1e9))]
        to_per_s: f64,
        /// How long the ramp takes, in seconds.
        #[schemars(range(min = 0, max = PHASE_S_MAX))]
        over_s: f64,
        /// What the rates apply to.
        #[serde(default)]
        per: Per,
    },
    /// Independent arrivals: a Poisson process.
    Poisson {
        /// The mean number of messages per second: a billionth to a billion.
        #[schemars(range(min = 1e-9, max = 1e9))]
        rate_per_s: f64,
        /// The same seed makes the same arrivals.
        #[serde(default)]
        seed: u64,
        /// What the rate applies to.
        #[serde(default)]
        per: Per,
    },
}

/// What a rate applies to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    /// All connections together.
    #[default]
    Total,
    /// Each connection.
    Connection,
}

impl SchedulePlan {
    /// The schedule of so many connections as a value.
    ///
    /// # Errors
    ///
    /// When a rate is zero or out of range.
    pub fn schedule(&self, connections: usize) -> Result<Schedule, PlanError> {
        let rate = |name: &str, rate_per_s: f64| {
            Rate::per_second(rate_per_s * self.rates(connections))
                .map_err(|error| PlanError::new(format!("{name}: {error}")))
        };
        let rate_or_zero = |name: &str, rate_per_s: f64| {
            if rate_per_s == 0.0 {
                Ok(Rate::ZERO)
            } else {
                rate(name, rate_per_s)
            }
        };
        Ok(match *self {
            Self::Constant { rate_per_s, .. } => Schedule::Constant {
                rate: rate("rate_per_s", rate_per_s)?,
            },
            Self::Ramp {
                from_per_s,
                to_per_s,
                over_s,
                ..
            } => Schedule::Ramp {
                from: rate_or_zero("from_per_s", from_per_s)?,
                to: rate("to_per_s", to_per_s)?,
                over_ns: over_ns(over_s)?,
            },
            Self::Poisson {
                rate_per_s, seed, ..
            } => Schedule::Poisson {
                rate: rate("rate_per_s", rate_per_s)?,
                seed,
            },
        })
    }

    /// How many of the plan's rates there are in all.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a number of connections needs no more than 53 bits"
    )]
    fn rates(&self, connections: usize) -> f64 {
        let (Self::Constant { per, .. } | Self::Ramp { per, .. } | Self::Poisson { per, .. }) =
            self;
        match per {
            Per::Total => 1.0,
            Per::Connection => connections as f64,
        }
    }
}

fn over_ns(over_s: f64) -> Result<Nanos, PlanError> {
    if (0.0..=PHASE_S_MAX).contains(&over_s) {
        return Ok(nanos(over_s));
    }
    Err(PlanError::new("schedule.over_s is 0 to 86400"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_of_all_connections_or_of_each() {
        for (per, rate_per_s) in [("total", 10.0), ("connection", 40.0)] {
            let plan = format!(r#"{{"kind": "constant", "rate_per_s": 10, "per": "{per}"}}"#);
            let plan: SchedulePlan = serde_json::from_str(&plan).unwrap();
            let schedule = plan.schedule(4).unwrap();
            assert!((schedule.offered_rate_per_s(0) - rate_per_s).abs() < 1e-9);
        }
    }
}
