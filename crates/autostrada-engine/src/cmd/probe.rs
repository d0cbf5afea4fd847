//! `autostrada-engine probe`: what this machine can do.

use std::process::ExitCode;

use crate::line::{self, Line};
use crate::probe;

/// Measure the limits of this machine: loopback, system calls, timers. Takes three seconds.
#[derive(Debug, clap::Args)]
pub struct Arguments {}

/// Measures and prints.
pub fn run(_arguments: &Arguments) -> anyhow::Result<ExitCode> {
    line::print(&Line::Machine(&probe::run()?))?;
    Ok(ExitCode::SUCCESS)
}
