//! The pings of a push.

use autostrada_measure::Nanos;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{PlanError, ServeProtocolKind, nanos};

/// Maximum number of planned pings.
const AFTER_MAX: usize = 1_000;

/// Minimum and maximum of `every_ms`.
const EVERY_MS_MIN: f64 = 1.0;
const EVERY_MS_MAX: f64 = 3_600_000.0;

/// Pings between the messages of a push (RFC 6455, section 5.5.2). The client answers each when it
/// has processed the messages before it. When the server closes, a ping precedes its closing
/// frame.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PingPlan {
    /// Numbers of messages after which a ping is sent, in ascending order, each at least 1.
    #[serde(default)]
    #[schemars(length(max = AFTER_MAX))]
    pub after: Vec<u64>,
    /// Time between two pongs, in milliseconds: further pings are sent after as many messages as
    /// the client processes in that time.
    #[serde(default = "every_ms_default")]
    #[schemars(range(min = EVERY_MS_MIN, max = EVERY_MS_MAX))]
    pub every_ms: f64,
}

fn every_ms_default() -> f64 {
    25.0
}

impl PingPlan {
    /// Checks the constraints that the types do not express.
    pub(super) fn check(&self, protocol: ServeProtocolKind) -> Result<(), PlanError> {
        if protocol != ServeProtocolKind::Websocket {
            return Err(PlanError::new(
                "workload.pings needs protocol.kind \"websocket\": remove it, or change the protocol",
            ));
        }
        let is_ascending = self.after.is_sorted_by(|one, next| one < next);
        if self.after.len() > AFTER_MAX || self.after.first() == Some(&0) || !is_ascending {
            return Err(PlanError::new(format!(
                "workload.pings.after must be at most {AFTER_MAX} numbers from 1, in ascending order"
            )));
        }
        if !(EVERY_MS_MIN..=EVERY_MS_MAX).contains(&self.every_ms) {
            return Err(PlanError::new(format!(
                "workload.pings.every_ms must be from {EVERY_MS_MIN} to {EVERY_MS_MAX}"
            )));
        }
        Ok(())
    }

    /// Returns the time between two pongs.
    pub fn every_ns(&self) -> Nanos {
        nanos(self.every_ms / 1_000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(settings: &str, protocol: ServeProtocolKind) -> Result<(), String> {
        let plan: PingPlan = serde_json::from_str(settings).map_err(|error| error.to_string())?;
        plan.check(protocol).map_err(|error| error.to_string())
    }

    #[test]
    fn what_cannot_be_done_is_refused_with_the_key() {
        for (settings, key) in [
            (r#"{"after": [0]}"#, "after"),
            (r#"{"after": [2, 2]}"#, "ascending"),
        ] {
            let error = check(settings, ServeProtocolKind::Websocket).unwrap_err();
            assert!(error.contains(key), "{settings}: {error}");
        }
        let error = check("{}", ServeProtocolKind::FramedTcp).unwrap_err();
        assert!(error.contains("remove it"), "{error}");
        check(r#"{"after": [1, 2]}"#, ServeProtocolKind::Websocket).unwrap();
    }
}
