//! Connect: all connections are opened and stay idle.

use schemars::JsonSchema;
use serde::Deserialize;

use super::kind::{Kind, NoSection, Outcome, Thread, Workload, WorkloadPlan};
use super::records::Records;
use crate::plan::{Phases, PlanError, ProtocolPlan};

/// Open all connections and leave them idle.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "ConnectWorkload")]
#[serde(deny_unknown_fields)]
pub struct ConnectPlan {
    /// Durations of the phases of the trial.
    phases: Phases,
}

impl WorkloadPlan for ConnectPlan {
    fn check(&self, _connections: usize, _protocol: &ProtocolPlan) -> Result<(), PlanError> {
        Ok(())
    }

    fn phases(&self) -> Option<&Phases> {
        Some(&self.phases)
    }
}

impl Kind for ConnectPlan {
    type Workload = Connect;
    type Section = NoSection;

    fn workload(&self, _thread: Thread<'_>) -> Result<Connect, PlanError> {
        Ok(Connect::default())
    }

    fn section(&self, _outcome: &Outcome<'_, ()>) -> NoSection {
        NoSection {}
    }
}

/// The `connect` workload of one thread. It counts messages that a server sends.
#[derive(Debug, Default)]
pub struct Connect {
    records: Records,
}

impl Workload for Connect {
    type Counts = ();

    fn records(&mut self) -> &mut Records {
        &mut self.records
    }

    fn into_records(self) -> (Records, ()) {
        (self.records, ())
    }
}
