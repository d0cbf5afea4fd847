//! What `observe` does.

use std::collections::BTreeMap;

use autostrada_measure::Nanos;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{FORMAT, PlanError, check_format};

/// The bounds of `every_ms`.
const EVERY_MS_MIN: f64 = 1.0;
const EVERY_MS_MAX: f64 = 3_600_000.0;

/// The plan of `observe`: sample processes, their connections and the machine.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObservePlan {
    /// The number of the format of plans and lines.
    #[schemars(extend("const" = FORMAT))]
    format: u32,
    /// The process identifiers of the processes to sample, by any name; their descendants count with
    /// them. A process that has ended is refused.
    #[schemars(extend("minProperties" = 1))]
    pub processes: BTreeMap<String, i32>,
    /// The sampling interval, in milliseconds. Each interval has one sample, each at another point
    /// of it, so that a periodic load is not always sampled at the same phase.
    #[serde(default = "every_ms_default")]
    #[schemars(range(min = EVERY_MS_MIN, max = EVERY_MS_MAX))]
    every_ms: f64,
    /// Whether to sample their TCP connections.
    #[serde(default = "is_wanted")]
    pub sockets: bool,
    /// Whether to sample the machine.
    #[serde(default = "is_wanted")]
    pub host: bool,
}

fn is_wanted() -> bool {
    true
}

fn every_ms_default() -> f64 {
    100.0
}

impl ObservePlan {
    /// Checks what the types cannot.
    ///
    /// # Errors
    ///
    /// When the plan asks for what cannot be done.
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
                "every_ms is {EVERY_MS_MIN} to {EVERY_MS_MAX}"
            )));
        }
        Ok(())
    }

    /// How long from one sample to the next.
    pub fn every_ns(&self) -> Nanos {
        super::nanos(self.every_ms / 1_000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(settings: &str) -> Result<ObservePlan, String> {
        let plan: ObservePlan = serde_json::from_str(&format!(r#"{{"format":2,{settings}}}"#))
            .map_err(|error| error.to_string())?;
        plan.check().map_err(|error| error.to_string())?;
        Ok(plan)
    }

    #[test]
    fn without_an_interval_it_is_a_tenth_of_a_second() {
        let plan = check(r#""processes":{"server":1}"#).unwrap();
        assert_eq!(plan.every_ns(), 100_000_000);
        let plan = check(r#""processes":{"server":1},"every_ms":2.5"#).unwrap();
        assert_eq!(plan.every_ns(), 2_500_000);
    }

    #[test]
    fn sockets_and_the_machine_are_sampled_unless_the_plan_leaves_them_out() {
        let plan = check(r#""processes":{"server":1}"#).unwrap();
        assert!(plan.sockets && plan.host);
        let plan = check(r#""processes":{"server":1},"sockets":false,"host":false"#).unwrap();
        assert!(!plan.sockets && !plan.host);
    }

    #[test]
    fn what_cannot_be_done_is_refused_with_the_remedy() {
        for (settings, remedy) in [
            (r#""processes":{}"#, "at least one"),
            (r#""every_ms":100"#, "processes"),
            (r#""processes":{"a":0}"#, "at least 1"),
            (r#""processes":{"a":-4}"#, "\"a\" cannot be -4"),
            (r#""processes":{"a":3000000000}"#, "i32"),
            (r#""processes":{"a":1},"every_ms":0.9"#, "1 to 3600000"),
            (r#""processes":{"a":1},"every_ms":3600001"#, "1 to 3600000"),
            (r#""processes":{"a":1},"sockets":1"#, "boolean"),
            (r#""processes":{"a":1},"colour":1"#, "`colour`"),
        ] {
            let error = check(settings).unwrap_err();
            assert!(error.contains(remedy), "{settings}: {error}");
        }
    }
}
