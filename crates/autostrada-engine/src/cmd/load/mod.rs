//! `autostrada-engine load`: the engine is the client.

mod flags;
mod gate;
mod metrics;
mod quantity;
mod screen;
mod watched;
mod written;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

use anyhow::Context;
use serde_json::Value;

use super::INTERRUPTED;
use crate::client::{self, Event, LoadPlan};
use crate::command_channel::Documents;
use crate::line::{self, Line};
use crate::plan::{FORMAT, PlanError, Url};
use flags::PlanFlags;
use gate::Gate;
use watched::Watched;

/// The exit status if nothing was measured.
const NOTHING_MEASURED: u8 = 1;

/// The exit status if the load generator was the limit, and `--strict` was given.
const GENERATOR_LIMITED: u8 = 3;

/// The exit status if a condition of `--fail-if` was met.
const FAILED: u8 = 99;

const EXAMPLES: &str = "\
Latency counts from when a message was due.
Exit status: 0 done, 1 nothing measured, 2 wrong usage, 3 --strict, 99 --fail-if,
130 interrupted: reported, not judged.

  autostrada-engine load ws://localhost:8080/echo -c 1k -d 30s
  autostrada-engine load ws://localhost:8080/echo -c 1k -r 5/s/conn
  autostrada-engine load wss://localhost:8443/feed --receive -c 10k --connect-rate 500/s";

/// Load a WebSocket server: what it took, how late, and whether the load generator was the limit.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// ws:// wss://, http:// https:// (Socket.IO), tcp:// tls:// (framed TCP)
    #[arg(value_name = "URL", required_unless_present = "plan")]
    url: Option<String>,

    #[command(flatten)]
    flags: PlanFlags,

    /// Measure the CPU time and memory of the server's process too, with its descendants.
    #[arg(short, long, value_name = "PID", help_heading = "Server")]
    watch: Option<i32>,

    /// Write the result to a file, as docs/format.md describes it; - for stdout, without the screen.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,

    /// Print the plan that the options describe, and do nothing.
    #[arg(long, help_heading = "Output")]
    print_plan: bool,

    /// Fail if this is true: 'p99 > 50ms', 'errors > 0.1%', 'rate < 10k/s', 'achieved < 99%'; can be
    /// repeated.
    #[arg(long, value_name = "CONDITION", help_heading = "Judgement")]
    fail_if: Vec<Gate>,

    /// Fail if the load generator was the limit.
    #[arg(long, help_heading = "Judgement")]
    strict: bool,

    /// Allow a target that is neither on this machine nor in a private network.
    #[arg(long, help_heading = "Judgement")]
    i_may_load_this: bool,

    /// Read a plan from a file, or - for stdin, and print JSON lines: docs/format.md.
    #[arg(long, value_name = "FILE", exclusive = true, help_heading = "Output")]
    plan: Option<PathBuf>,
}

/// Executes the plan of a file or of the options, and prints its events or the end screen.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(path) = &arguments.plan {
        return run_plan(&read_plan(path)?);
    }
    let url = arguments.url.as_deref().context("clap requires the URL")?;
    let document = arguments.flags.plan(url)?;
    let plan: LoadPlan = serde_json::from_value(document.clone())
        .map_err(|error| PlanError::new(error.to_string()))?;
    plan.check()?;
    if arguments.print_plan {
        writeln!(io::stdout(), "{document:#}")?;
        return Ok(ExitCode::SUCCESS);
    }
    if !arguments.i_may_load_this {
        check_target(&Url::parse(url)?)?;
    }
    let mut file = match &arguments.json {
        Some(path) if path != Path::new("-") => Some(create(path)?),
        _ => None,
    };
    let watched = arguments.watch.map(Watched::start).transpose()?;
    let (mut result, is_interrupted) = measured(&plan)?;
    if let Some(watched) = watched {
        result["server"] = watched.usage(&result);
    }
    if let Some(file) = &mut file {
        writeln!(file, "{result}").context("the result cannot be written")?;
    }
    if arguments.json.as_deref() == Some(Path::new("-")) {
        writeln!(io::stdout(), "{result}")?;
    } else {
        let asked = asked(url, &arguments.flags);
        let in_flight = arguments.flags.in_flight();
        write!(
            io::stdout(),
            "{}",
            screen::end_screen(&asked, in_flight, &result)
        )?;
    }
    Ok(if is_interrupted {
        ExitCode::from(INTERRUPTED)
    } else {
        judged(arguments, &result)
    })
}

/// Returns the exit status of a complete load; conditions that are met are logged.
fn judged(arguments: &Arguments, result: &Value) -> ExitCode {
    if result["connections"] == 0 {
        return ExitCode::from(NOTHING_MEASURED);
    }
    let failures = arguments
        .fail_if
        .iter()
        .filter_map(|gate| gate.failure(result));
    let failures: Vec<_> = failures.collect();
    for failure in &failures {
        crate::log(&format!("failed: {failure}"));
    }
    if !failures.is_empty() {
        ExitCode::from(FAILED)
    } else if arguments.strict && !result["generator_limited"].is_null() {
        ExitCode::from(GENERATOR_LIMITED)
    } else {
        ExitCode::SUCCESS
    }
}

/// Reads a plan from a file, or from stdin.
fn read_plan(path: &Path) -> anyhow::Result<LoadPlan> {
    if path == Path::new("-") {
        return Ok(Documents::new(io::stdin()).plan()?);
    }
    let name = path.display();
    let file =
        File::open(path).map_err(|error| PlanError::new(format!("--plan {name}: {error}")))?;
    let plan = Documents::new(file).plan();
    Ok(plan.map_err(|error| PlanError::new(format!("--plan {name}: {error}")))?)
}

/// Executes a plan and prints its events as lines.
fn run_plan(plan: &LoadPlan) -> anyhow::Result<ExitCode> {
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
    let is_interrupted = client::run(plan, &print)?;
    Ok(if is_interrupted {
        ExitCode::from(INTERRUPTED)
    } else {
        ExitCode::SUCCESS
    })
}

/// Executes a plan and writes a line about each second to stderr; returns the result, and whether
/// a signal interrupted it.
fn measured(plan: &LoadPlan) -> anyhow::Result<(Value, bool)> {
    let measured = OnceLock::new();
    let report = |event: &Event<'_>| {
        match event {
            Event::Ready => {}
            Event::Second(second) => {
                let line = screen::second_line(&serde_json::to_value(second)?);
                let _ = writeln!(io::stderr(), "{line}");
            }
            Event::Result(result) => {
                let _ = measured.set(serde_json::to_value(result)?);
            }
        }
        Ok(())
    };
    let is_interrupted = client::run(plan, &report)?;
    let result = measured.into_inner().context("the load has no result")?;
    Ok((result, is_interrupted))
}

/// Refuses a target that is neither on this machine nor in a private network.
fn check_target(url: &Url) -> Result<(), PlanError> {
    let address = url.resolve()?.ip();
    let is_own = match address {
        std::net::IpAddr::V4(ip) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        std::net::IpAddr::V6(ip) => {
            ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local()
        }
    };
    if is_own {
        return Ok(());
    }
    Err(PlanError::new(format!(
        "{} ({address}) is neither on this machine nor in a private network: add \
         --i-may-load-this if you may load it",
        url.host()
    )))
}

/// Creates the file of a result, before anything is measured.
fn create(path: &Path) -> Result<File, PlanError> {
    File::create(path).map_err(|error| PlanError::new(format!("{}: {error}", path.display())))
}

/// Describes what was asked for, in one line.
fn asked(url: &str, flags: &PlanFlags) -> String {
    let connections = flags.connections();
    #[expect(
        clippy::cast_precision_loss,
        reason = "a number of connections needs no more than 53 bits"
    )]
    let count = written::whole(connections as f64);
    let load = match flags.rate() {
        Some(rate) if rate.is_of_each_connection() => format!(
            "{count} connections × {}/s = {}/s",
            rate.per_s(),
            written::whole(rate.total_per_s(connections))
        ),
        Some(rate) => format!(
            "{count} connections, {}/s in total",
            written::whole(rate.total_per_s(connections))
        ),
        None => format!("{count} connections"),
    };
    format!("{url}: {load}")
}
