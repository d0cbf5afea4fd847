//! `autostrada-engine load`: the engine is the client.

use std::process::ExitCode;

use super::INTERRUPTED;
use crate::client;
use crate::command_channel::Documents;
use crate::plan::LoadPlan;

/// Be the client: read a plan from stdin and carry it out.
#[derive(Debug, clap::Args)]
pub struct Arguments {}

/// Reads the plan, measures, prints.
pub fn run(_arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let plan: LoadPlan = Documents::new(std::io::stdin()).plan()?;
    plan.check()?;
    let is_interrupted = client::run(&plan)?;
    Ok(if is_interrupted {
        ExitCode::from(INTERRUPTED)
    } else {
        ExitCode::SUCCESS
    })
}
