//! The plan of `observe`.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use autostrada_measure::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FORMAT, PlanError, check_format};

/// Minimum and maximum of `every_ms`.
const EVERY_MS_MIN: f64 = 1.0;
const EVERY_MS_MAX: f64 = 3_600_000.0;

/// The plan of `observe`: sample processes, their connections and the machine.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObservePlan {
    /// Version of the format of plans and lines.
    #[schemars(extend("const" = FORMAT))]
    format: u32,
    /// Processes to sample: a name of your choice and the process identifier, at least 1, of each.
    /// Their descendants are included. A process that has ended is refused.
    #[schemars(extend("minProperties" = 1))]
    pub processes: BTreeMap<String, i32>,
    /// Sampling interval, in milliseconds. One sample is taken in each interval, at a varying point
    /// of it, so that a periodic load is not always sampled at the same phase.
    #[serde(default = "every_ms_default")]
    #[schemars(range(min = EVERY_MS_MIN, max = EVERY_MS_MAX))]
    every_ms: f64,
    /// Whether to sample the TCP connections of the processes.
    #[serde(default = "enabled_default")]
    pub sockets: bool,
    /// Whether to sample the resources of the whole machine.
    #[serde(default = "enabled_default")]
    pub host: bool,
    /// Cores whose speed is measured every 4 ms, each by a thread that runs on it only: a loop of some
    /// microseconds is timed, and between the first and the last core messages in memory.
    #[serde(default)]
    pub loop_cores: Vec<usize>,
}

/// A command that may follow the plan of `observe` on stdin.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ObserveCommand {
    /// A connection that was opened. Its socket is sampled without being searched for; in a plan
    /// with two processes, so is the socket at its other end.
    Connection(OpenConnection),
}

/// A connection of a process of the plan.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenConnection {
    /// Process identifier, as in the plan.
    pub pid: i32,
    /// IP address and port of the process's socket.
    #[schemars(with = "String")]
    pub local: SocketAddr,
    /// IP address and port of the socket at the other end.
    #[schemars(with = "String")]
    pub peer: SocketAddr,
}

fn enabled_default() -> bool {
    true
}

fn every_ms_default() -> f64 {
    100.0
}

impl ObservePlan {
    /// Checks the constraints that the types do not express.
    pub fn check(&self) -> Result<(), PlanError> {
        check_format(self.format)?;
        if self.processes.is_empty() {
            return Err(PlanError::new(
                "processes is empty: name at least one, with its process identifier",
            ));
        }
        if let Some((name, pid)) = self.processes.iter().find(|&(_, &pid)| pid < 1) {
            return Err(PlanError::new(format!(
                "processes: {name:?} cannot be {pid}: a process identifier is at least 1"
            )));
        }
        if !(EVERY_MS_MIN..=EVERY_MS_MAX).contains(&self.every_ms) {
            return Err(PlanError::new(format!(
                "every_ms must be from {EVERY_MS_MIN} to {EVERY_MS_MAX}"
            )));
        }
        Ok(())
    }

    /// Returns the sampling interval.
    pub fn every_ns(&self) -> Nanos {
        super::nanos(self.every_ms / 1_000.0)
    }
}

#[cfg(test)]
#[path = "tests/observe.rs"]
mod tests;
