//! What `load` does.

use std::net::IpAddr;
use std::path::PathBuf;

use autostrada_measure::{Nanos, Rate, Schedule};
use serde::Deserialize;

use super::{Payload, PlanError, check_format, payload_default};

/// What `load` does.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadPlan {
    format: u32,
    /// Where to connect.
    pub url: String,
    /// What to do there.
    pub workload: LoadWorkload,
    /// How many connections to open.
    #[serde(default = "one")]
    pub connections: usize,
    /// Connections begun a second; all at once where it is not given.
    pub connect_rate_per_s: Option<f64>,
    /// Threads that share the connections.
    #[serde(default = "one")]
    pub threads: usize,
    /// Addresses of this machine to connect from, in turn; the system chooses where there are none.
    #[serde(default)]
    pub source_addresses: Vec<IpAddr>,
    /// For `wss://`.
    #[serde(default)]
    pub tls: TlsPlan,
    /// Give up after so many seconds.
    #[serde(default = "limit_s_default")]
    pub limit_s: u64,
}

/// What is wanted of TLS.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsPlan {
    /// Accept any certificate.
    #[serde(default)]
    pub insecure: bool,
    /// A file of certificates (PEM) to trust instead of the system's.
    pub ca_file: Option<PathBuf>,
    /// `1.2` or `1.3`; either where it is not given.
    pub version: Option<String>,
    /// One suite only, by its IANA name.
    pub cipher_suite: Option<String>,
    /// Take up earlier sessions.
    #[serde(default)]
    pub resumption: bool,
    /// What the certificate must be for, where it is not the URL's host.
    pub server_name: Option<String>,
}

/// The workloads of `load`.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LoadWorkload {
    /// Receive and count.
    Receive {
        /// How many on each connection before closing it.
        messages: u64,
        /// What each must be; without it any message counts.
        payload: Option<Payload>,
    },
    /// Send, and be answered, with so many messages in flight: a closed loop.
    Echo {
        /// In flight on each connection.
        #[serde(default = "one")]
        window: usize,
        /// What each message is.
        #[serde(default = "payload_default")]
        payload: Payload,
        /// How long the parts of the trial take.
        phases: Phases,
    },
    /// Send when it is due, whatever is answered: an open loop.
    Bots {
        /// Over all connections.
        schedule: SchedulePlan,
        /// What each message is.
        #[serde(default = "payload_default")]
        payload: Payload,
        /// How long the parts of the trial take.
        phases: Phases,
    },
}

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

fn one() -> usize {
    1
}

fn limit_s_default() -> u64 {
    60
}

impl LoadPlan {
    /// Checks what the types cannot.
    ///
    /// # Errors
    ///
    /// When the plan asks for what cannot be done.
    pub fn check(&self) -> Result<(), PlanError> {
        check_format(self.format)?;
        if self.connections == 0 || self.limit_s == 0 || self.threads == 0 {
            return Err(PlanError::new(
                "connections, threads and limit_s must be at least 1",
            ));
        }
        match &self.workload {
            LoadWorkload::Receive { messages, .. } => {
                if *messages == 0 {
                    return Err(PlanError::new("messages must be at least 1"));
                }
                if self.threads > 1 {
                    return Err(PlanError::new("receive has one thread: leave out threads"));
                }
            }
            LoadWorkload::Echo { window, phases, .. } => {
                if *window == 0 {
                    return Err(PlanError::new("window must be at least 1"));
                }
                phases.check()?;
            }
            LoadWorkload::Bots {
                schedule, phases, ..
            } => {
                schedule.schedule()?;
                phases.check()?;
            }
        }
        Ok(())
    }
}

impl Phases {
    fn check(&self) -> Result<(), PlanError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_for_nothing_is_refused() {
        let plan = r#"{"format":1,"url":"ws://h/","workload":{"kind":"receive","messages":0}}"#;
        let plan: LoadPlan = serde_json::from_str(plan).unwrap();
        assert!(plan.check().is_err());
    }
}
