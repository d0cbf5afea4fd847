//! `load --plan`: executes a plan, and prints JSON lines.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;
use std::thread;

use autostrada_net::clock;
use schemars::JsonSchema;
use serde::Serialize;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::pipe;

use crate::client::{self, Control, Event, Interruption, LoadPlan, LoadResult, LoadSecond, Slices};
use crate::cmd::INTERRUPTED;
use crate::command_channel::{self, LoadCommand};
use crate::line::{self, Line};
use crate::plan::{FORMAT, PlanError};

/// A line that only `load` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum LoadLine<'a> {
    /// What `load` counted in one second; not printed with `slices`.
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
            Event::Opened => return line::print(&Line::Opened),
            Event::Second(second) => LoadLine::Second(second),
            Event::Result(result) => LoadLine::Result(result),
        })
    };
    let slices = plan.slices.then(|| Slices::new(plan.threads)).transpose()?;
    let control = Control {
        interruption: Interruption::by_signals()?,
        slices: slices.clone(),
        ..Control::default()
    };
    if let Some(slices) = slices {
        wake_by_signals(slices.clone())?;
        let interruption = control.interruption.clone();
        thread::spawn(move || slices.end(carry_out(commands, &slices, &interruption)));
    } else if plan.awaits_start {
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
                Ok(LoadCommand::Slice(_) | LoadCommand::End(_)) => {
                    crate::log("stdin: slice and end need a plan with slices: it has awaits_start");
                    break;
                }
                Err(error) => crate::log(&error.to_string()),
            }
        }
        control.interruption.set();
    });
}

/// Carries out the commands of a load that is divided into slices, until it is told to end or stdin
/// ends.
fn carry_out(
    mut commands: command_channel::Documents<io::Stdin>,
    slices: &Slices,
    interruption: &Interruption,
) -> Result<(), PlanError> {
    while let Some(command) = commands.next() {
        let slice = match command? {
            LoadCommand::Slice(slice) => slice,
            LoadCommand::End(true) => break,
            LoadCommand::StartAtNs(_) | LoadCommand::End(false) => {
                return Err(PlanError::new(
                    "stdin: a load with slices takes the commands slice and {\"end\": true}",
                ));
            }
        };
        let Some(row) = slices.carry_out(slice.length_ns()?, slice.counts) else {
            break;
        };
        // If the line cannot be printed, nothing reads stdout any more.
        if line::print(&Line::Slice(&row)).is_err() {
            interruption.set();
            break;
        }
    }
    Ok(())
}

/// Wakes the threads of a load, in another thread, when a signal interrupts it.
fn wake_by_signals(slices: Slices) -> io::Result<()> {
    let (mut reader, writer) = UnixStream::pair()?;
    for signal in [SIGINT, SIGTERM] {
        // The interruption is set before, by the handler that was registered before.
        pipe::register(signal, writer.try_clone()?)?;
    }
    thread::spawn(move || {
        while reader.read_exact(&mut [0]).is_ok() {
            slices.wake();
        }
    });
    Ok(())
}
