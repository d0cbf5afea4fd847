//! `autostrada-engine observe`: samples the resources of processes.

use std::process::ExitCode;

use super::INTERRUPTED;
use crate::command_channel::Documents;
use crate::ended::Ended;
use crate::observe;
use crate::plan::ObservePlan;

/// Sample CPU time, memory and sockets of processes and their descendants, by a plan on stdin.
#[derive(Debug, clap::Args)]
pub struct Arguments {}

/// Reads the plan and prints samples until stdin or all processes have ended.
pub fn run(_arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut documents = Documents::new(std::io::stdin());
    let plan: ObservePlan = documents.plan()?;
    plan.check()?;
    Ok(match observe::run(&plan, documents)? {
        Ended::Interrupted => ExitCode::from(INTERRUPTED),
        _ => ExitCode::SUCCESS,
    })
}
