//! `autostrada-engine probe`: measures the limits of this machine.

use std::process::ExitCode;

use schemars::JsonSchema;
use serde::Serialize;

use crate::line;
use crate::probe::{self, Machine};

/// A line that only `probe` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum ProbeLine<'a> {
    /// What was measured.
    Machine(&'a Machine),
}

/// Measures the limits of this machine and prints them.
pub fn run() -> anyhow::Result<ExitCode> {
    line::print(&ProbeLine::Machine(&probe::run()?))?;
    Ok(ExitCode::SUCCESS)
}
