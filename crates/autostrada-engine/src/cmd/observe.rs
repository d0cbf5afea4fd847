//! `autostrada-engine observe`: samples the resources of processes.

use std::process::ExitCode;

use super::INTERRUPTED;
use crate::command_channel::Documents;
use crate::ended::Ended;
use crate::observe;
use crate::plan::ObservePlan;

/// Reads the plan and prints samples until stdin or all processes have ended.
pub fn run() -> anyhow::Result<ExitCode> {
    let mut documents = Documents::new(std::io::stdin());
    let plan: ObservePlan = documents.plan()?;
    plan.check()?;
    Ok(match observe::run(&plan, documents)? {
        Ended::Interrupted => ExitCode::from(INTERRUPTED),
        _ => ExitCode::SUCCESS,
    })
}
