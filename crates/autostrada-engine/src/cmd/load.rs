//! `autostrada-engine load`: the engine is the client.

use std::io;
use std::process::ExitCode;

use super::INTERRUPTED;
use crate::client::{self, Event, LoadPlan};
use crate::command_channel::Documents;
use crate::line::{self, Line};
use crate::plan::FORMAT;

/// Measure a server: open connections and send and receive messages, by a plan on stdin.
#[derive(Debug, clap::Args)]
pub struct Arguments {}

/// Reads the plan, executes it and prints its events.
pub fn run(_arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let plan: LoadPlan = Documents::new(io::stdin()).plan()?;
    plan.check()?;
    let print = |event: &Event<'_>| {
        line::print(&match event {
            Event::Ready => Line::Ready {
                format: FORMAT,
                version: env!("AUTOSTRADA_VERSION"),
                url: &plan.url,
            },
            Event::Second(second) => Line::LoadSecond(second),
            Event::Result(result) => Line::Load(result),
        })
    };
    let is_interrupted = client::run(&plan, &print)?;
    Ok(if is_interrupted {
        ExitCode::from(INTERRUPTED)
    } else {
        ExitCode::SUCCESS
    })
}
