//! `autostrada-engine probe`: measures the limits of this machine.

use std::process::ExitCode;

use crate::line::{self, Line};
use crate::probe;

/// Measure the limits of this machine: loopback, system calls, timers. Takes three seconds.
#[derive(Debug, clap::Args)]
pub struct Arguments {}

/// Measures the limits of this machine and prints them.
pub fn run(_arguments: &Arguments) -> anyhow::Result<ExitCode> {
    line::print(&Line::Machine(&probe::run()?))?;
    Ok(ExitCode::SUCCESS)
}
