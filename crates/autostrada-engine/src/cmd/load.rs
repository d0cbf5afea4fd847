//! `autostrada-engine load`: the engine is the client.

use crate::client;
use crate::command_channel::Documents;
use crate::plan::LoadPlan;

/// Be the client: read a plan from stdin and carry it out.
#[derive(Debug, clap::Args)]
pub struct Arguments {}

/// Reads the plan, measures, prints.
pub fn run(_arguments: &Arguments) -> anyhow::Result<()> {
    let plan: LoadPlan = Documents::new(std::io::stdin()).plan()?;
    plan.check()?;
    client::run(&plan)
}
