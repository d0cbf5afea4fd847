//! `load --plan`: executes a plan, and prints JSON lines.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::thread;

use autostrada_net::clock;
use schemars::JsonSchema;
use serde::Serialize;

use crate::client::{self, Control, Event, Interruption, LoadPlan, LoadResult, LoadSecond};
use crate::cmd::INTERRUPTED;
use crate::command_channel::{self, LoadCommand};
use crate::line::{self, Line};
use crate::plan::{FORMAT, PlanError};

/// A line that only `load` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum LoadLine<'a> {
    /// All connections of `load` are open, or their time is over: the command `start-at-ns` is
    /// awaited.
    #[schemars(title = "Opened")]
    Opened,
    /// What `load` counted in one second.
    Second(&'a LoadSecond),
    /// The result of `load`.
    Result(&'a LoadResult),
}

/// Executes the plan of a file, or of stdin, and prints its events as lines.
pub fn run(path: &Path) -> anyhow::Result<ExitCode> {
    let (plan, commands) = read_plan(path)?;
    plan.check()?;
    clock::set_ahead(plan.clock_ahead_ns);
    let print = |event: &Event<'_>| {
        line::print(&match event {
            Event::Opening { .. } | Event::Started(_) => return Ok(()),
            Event::Ready(url) => {
                return line::print(&Line::Ready {
                    format: FORMAT,
                    version: env!("AUTOSTRADA_VERSION"),
                    url,
                });
            }
            Event::Opened => LoadLine::Opened,
            Event::Second(second) => LoadLine::Second(second),
            Event::Result(result) => LoadLine::Result(result),
        })
    };
    let control = Control {
        interruption: Interruption::by_signals()?,
        ..Control::default()
    };
    if plan.awaits_start {
        obey(commands, control.clone());
    }
    client::run(&plan, &control, &print)?;
    Ok(if control.interruption.is_set() {
        ExitCode::from(INTERRUPTED)
    } else {
        ExitCode::SUCCESS
    })
}

/// Reads a plan from a file, or from stdin; returns it with the rest of stdin.
fn read_plan(path: &Path) -> anyhow::Result<(LoadPlan, command_channel::Documents<io::Stdin>)> {
    let mut stdin = command_channel::Documents::new(io::stdin());
    if path == Path::new("-") {
        return Ok((stdin.plan()?, stdin));
    }
    let name = path.display();
    let file =
        File::open(path).map_err(|error| PlanError::new(format!("--plan {name}: {error}")))?;
    let plan = command_channel::Documents::new(file).plan();
    let plan = plan.map_err(|error| PlanError::new(format!("--plan {name}: {error}")))?;
    Ok((plan, stdin))
}

/// Obeys the commands of a load that awaits its start, in a thread; ends it at the end of stdin.
fn obey(mut commands: command_channel::Documents<io::Stdin>, control: Control) {
    thread::spawn(move || {
        while let Some(command) = commands.next() {
            match command {
                Ok(LoadCommand::StartAtNs(at)) => control.start.set(at),
                Err(error) => crate::log(&error.to_string()),
            }
        }
        control.interruption.set();
    });
}
