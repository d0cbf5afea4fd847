//! The schedule of messages, and the phases of a trial.

use autostrada_measure::{Nanos, Rate, Schedule, integer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::PlanError;

/// Maximum length of a phase: a day.
pub const PHASE_S_MAX: f64 = 86_400.0;

/// The durations of the phases of a trial, in seconds.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Phases {
    /// Maximum time for opening all connections, in seconds.
    #[serde(default = "opening_s_default")]
    #[schemars(range(min = 0, max = PHASE_S_MAX))]
    pub opening_s: f64,
    /// Length of the warm-up, in seconds: the workload runs, and its messages do not count.
    #[serde(default)]
    #[schemars(range(min = 0, max = PHASE_S_MAX))]
    pub warm_up_s: f64,
    /// Length of the window, in seconds: messages that are due or, without a schedule, received
    /// within it count.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = PHASE_S_MAX))]
    pub window_s: f64,
    /// Maximum length of the drain, in seconds: the time to wait for outstanding answers after the
    /// window.
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
    /// Checks the constraints that the types do not express.
    pub fn check(&self) -> Result<(), PlanError> {
        let others = [self.opening_s, self.warm_up_s, self.drain_s];
        let is_time = |seconds: &f64| (0.0..=PHASE_S_MAX).contains(seconds);
        if !others.iter().all(is_time) || !is_time(&self.window_s) || self.window_s == 0.0 {
            return Err(PlanError::new(
                "phases must be from 0 to 86400 seconds, and window_s above 0",
            ));
        }
        Ok(())
    }
}

/// The instants at which messages are due in an open loop.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum SchedulePlan {
    /// Messages at a constant rate.
    Constant {
        /// Rate, in messages per second.
        #[schemars(range(min = 1e-9, max = 1e9))]
        rate_per_s: f64,
        /// Whether the rate applies to all connections together or to each connection.
        #[serde(default)]
        per: Per,
    },
    /// A linear ramp from one rate to another, which is kept afterwards.
    Ramp {
        /// Rate at the start, in messages per second.
        #[schemars(range(min = 0, max = 1e9))]
        from_per_s: f64,
        /// Rate at the end of the ramp and afterwards, in messages per second.
        #[schemars(range(min = 1e-9, max = 1e9))]
        to_per_s: f64,
        /// Length of the ramp, in seconds. It starts with the warm-up.
        #[schemars(range(min = 0, max = PHASE_S_MAX))]
        over_s: f64,
        /// Whether the rates apply to all connections together or to each connection.
        #[serde(default)]
        per: Per,
    },
    /// Independent random arrivals: a Poisson process.
    Poisson {
        /// Mean rate, in messages per second.
        #[schemars(range(min = 1e-9, max = 1e9))]
        rate_per_s: f64,
        /// Seed of the arrivals: the same seed generates the same arrivals.
        #[serde(default)]
        seed: u64,
        /// Whether the rate applies to all connections together or to each connection.
        #[serde(default)]
        per: Per,
    },
}

/// The connections to which a rate applies.
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
    /// Returns the schedule for this many connections.
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

    /// Returns the factor from the plan's rate to the rate of all connections.
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
    Err(PlanError::new("schedule.over_s must be from 0 to 86400"))
}

/// Converts seconds to nanoseconds.
pub fn nanos(seconds: f64) -> Nanos {
    integer(seconds * 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_of_all_connections_or_of_each() {
        for (per, messages) in [("total", 10), ("connection", 40)] {
            let plan = format!(r#"{{"kind": "constant", "rate_per_s": 10, "per": "{per}"}}"#);
            let plan: SchedulePlan = serde_json::from_str(&plan).unwrap();
            let schedule = plan.schedule(4).unwrap();
            assert_eq!(schedule.offered_until(nanos(1.0)), messages);
        }
    }
}
