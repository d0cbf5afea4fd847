//! `autostrada-engine load`: the engine is the client.

mod bars;
mod completeness;
mod export;
mod flags;
mod gate;
mod hosts;
mod limit;
mod lines;
mod live;
mod measurement;
mod merge;
mod metrics;
mod number_format;
mod quantity;
mod remedy;
mod report;
mod screen;
mod server_command;
mod server_sampler;
mod times;

use std::fmt::Display;
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use anyhow::Context;
use autostrada_net::Endpoint;

use crate::client::{self, Control, Event, Interruption, LoadPlan, LoadResult, LoadSecond};
use crate::plan::PlanError;
use export::{Documents, Exporter, OutputFlags};
use flags::PlanFlags;
use gate::Gate;
pub use hosts::HostFacts;
use hosts::Unfinished;
pub use lines::LoadLine;
use live::Live;
use measurement::Measurement;
use merge::MergedLoad;
pub use report::LoadReport;
use server_command::ServerCommand;
use server_sampler::ServerSampler;

/// The exit status if nothing was measured, or only a part of the load.
const NOTHING_MEASURED: u8 = 1;

/// How long a server whose connections are all lost may take to end.
const ENDS_WITHIN: Duration = Duration::from_secs(1);

/// The exit status if the load generator was the limit, and `--strict` was given.
const GENERATOR_LIMITED: u8 = 3;

/// The exit status if a condition of `--fail-if` was met.
const FAILED: u8 = 99;

/// What must hold: a condition for each part, under which it does not.
#[derive(Debug, Clone)]
struct Objective(Vec<Gate>);

const EXAMPLES: &str = "\
Latency counts from when a message was due, or with --reply time:$.t from the
instant in it.
Exit status: 0 done, 1 nothing or not all measured, 2 wrong usage, 3 --strict, 99 --fail-if,
130 or 143 interrupted: reported, not judged. A second Ctrl-C ends at once.

  autostrada-engine load ws://localhost:8080/echo -c 1k -d 30s
  autostrada-engine load ws://localhost:8080/echo -c 1k -r 5/s/conn
  autostrada-engine load wss://localhost:8443/feed --receive -c 10k --connect-rate 500/s";

/// Load a WebSocket server: what it took, how late, and whether the load generator was the limit.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_override_self = true)]
pub struct Arguments {
    /// ws:// wss:// unix:, http:// https:// (Socket.IO), tcp:// tls:// (framed TCP)
    #[arg(value_name = "URL", required_unless_present = "plan")]
    url: Option<String>,

    #[command(flatten)]
    flags: PlanFlags,

    /// Measure the CPU time and memory of the server's process too, with its descendants.
    #[arg(short, long, value_name = "PID", help_heading = "Server")]
    watch: Option<i32>,

    /// Start the server with this command of the shell, measure it as --watch does, and stop it.
    #[arg(
        long,
        value_name = "COMMAND",
        conflicts_with = "watch",
        help_heading = "Server"
    )]
    watch_command: Option<String>,

    #[command(flatten)]
    output: OutputFlags,

    /// Fail if this is true: 'p99 > 50ms', 'errors > 0.1%', 'rate < 10k/s', 'achieved < 99%'; can be
    /// repeated.
    #[arg(long, value_name = "CONDITION", help_heading = "Judgement")]
    fail_if: Vec<Gate>,

    /// Fail unless all of this is true: 'p99<50ms,errors<0.1%'.
    #[arg(long, value_name = "EXPR", hide = true, value_parser = objective)]
    objective: Option<Objective>,

    /// Fail if the load generator was the limit.
    #[arg(long, help_heading = "Judgement")]
    strict: bool,

    /// Allow a target that is neither on this machine nor in a private network.
    #[arg(long, help_heading = "Judgement")]
    i_may_load_this: bool,

    /// Report the results of engines that divided the load (part: docs/format.md) instead of
    /// loading: a file with their JSON lines, or - for stdin.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    merge: Option<PathBuf>,

    /// Read a plan from a file, or - for stdin, and print JSON lines: docs/format.md.
    #[arg(long, value_name = "FILE", exclusive = true, help_heading = "Output")]
    plan: Option<PathBuf>,
}

/// Executes the plan of a file or of the options, and prints its events or the end screen.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(path) = &arguments.plan {
        return lines::run(path);
    }
    let url = arguments.url.as_deref().context("clap requires the URL")?;
    let document = arguments.flags.plan(url)?;
    let plan: LoadPlan = serde_json::from_value(document.clone())
        .map_err(|error| PlanError::new(error.to_string()))?;
    plan.check()?;
    let (target, title) = (without_query(url), title(url, &arguments.flags));
    if let Some(path) = &arguments.merge {
        let has_delivery_times = document["workload"]["reply"]["kind"] == "time";
        let load = read_results(path, has_delivery_times)?;
        return report_merged(arguments, title, target, load);
    }
    let endpoint = plan.endpoint()?;
    if !arguments.i_may_load_this && matches!(endpoint, Endpoint::Tcp(_)) {
        // Only a proxy may know the address.
        check_target(url, plan.server_address().ok())?;
    }
    if arguments.output.print_plan {
        writeln!(io::stdout(), "{document:#}")?;
        return Ok(ExitCode::SUCCESS);
    }
    let documents = arguments.output.documents()?;
    let exporter = arguments.output.exporter()?;
    let command = arguments.watch_command.as_deref();
    let server = command
        .map(|command| ServerCommand::start(command, &endpoint))
        .transpose()?;
    let pid = arguments.watch.or(server.as_ref().map(|server| server.pid));
    let sampler = pid.map(ServerSampler::start).transpose()?;
    let control = Control {
        interruption: Interruption::by_first_of_two_signals()?,
        ..Control::default()
    };
    let live = (!arguments.output.plain && Live::is_possible()).then(|| {
        let connections = arguments.flags.connections();
        let has_rate = arguments.flags.rate().is_some();
        Live::start(title.clone(), connections, has_rate, control.clone())
    });
    let displays = Displays {
        live: live.as_ref(),
        sampler: sampler.as_ref(),
        exporter: exporter.as_ref(),
    };
    let executed = execute(&plan, &control, &displays);
    let ended = live.map_or(Ok(()), Live::end);
    let (result, seconds) = executed?;
    ended.context("the terminal cannot be used: add --plain")?;
    let server_ended = how_server_ended(server.as_ref(), sampler.as_ref(), &result);
    let usage = sampler.and_then(|sampler| sampler.usage(&result));
    let not_judged = why_not_judged(&control);
    let measurement = Measurement {
        asked: title,
        url: target,
        result,
        server: usage,
        server_ended,
        hosts: Vec::new(),
        not_judged,
    };
    let report = report(arguments, documents, measurement, seconds)?;
    if control.interruption.is_set() {
        return Ok(ExitCode::from(control.interruption.status()));
    }
    Ok(exit_code(arguments, &report))
}

/// Returns why conditions are not evaluated; `None` if they are.
fn why_not_judged(control: &Control) -> Option<&'static str> {
    if control.interruption.is_set() {
        Some("the load was interrupted")
    } else if control.pace.is_changed() {
        Some("the rate was changed by keys")
    } else {
        None
    }
}

/// Returns how the server's process ended while it was loaded; `None` if it did not.
fn how_server_ended(
    command: Option<&ServerCommand>,
    sampler: Option<&ServerSampler>,
    result: &LoadResult,
) -> Option<String> {
    let Some(command) = command else {
        let has_ended = sampler.is_some_and(ServerSampler::has_ended);
        return has_ended.then(|| "has ended".to_owned());
    };
    let are_lost = result.connections > 0 && result.lost >= result.connections;
    command.how_it_ended(if are_lost {
        ENDS_WITHIN
    } else {
        Duration::ZERO
    })
}

/// Evaluates a load, and writes its documents or the end screen.
fn report(
    arguments: &Arguments,
    documents: Documents,
    measurement: Measurement,
    seconds: Vec<LoadSecond>,
) -> anyhow::Result<LoadReport> {
    let objective = arguments
        .objective
        .iter()
        .flat_map(|Objective(gates)| gates);
    let gates: Vec<_> = arguments.fail_if.iter().chain(objective).cloned().collect();
    let report = LoadReport::new(measurement, seconds, &gates);
    let end_screen = screen::end_screen(arguments.flags.in_flight(), &report);
    documents.write(&report, &end_screen)?;
    Ok(report)
}

/// Reports the results of engines that divided a load, as one load.
fn report_merged(
    arguments: &Arguments,
    title: String,
    url: String,
    load: MergedLoad,
) -> anyhow::Result<ExitCode> {
    let documents = arguments.output.documents()?;
    let (not_judged, status) = match hosts::unfinished(&load.hosts) {
        Some(Unfinished::Interrupted(status)) => (Some("the load was interrupted"), status),
        Some(Unfinished::HostLost) => (Some("a host was lost"), NOTHING_MEASURED),
        None => (None, 0),
    };
    let measurement = Measurement {
        asked: title,
        url,
        result: load.result,
        server: None,
        server_ended: None,
        hosts: load.hosts,
        not_judged,
    };
    let report = report(arguments, documents, measurement, load.seconds)?;
    let judged = exit_code(arguments, &report);
    Ok(not_judged.map_or(judged, |_| ExitCode::from(status)))
}

/// Reads the results among the JSON lines of a file, or of stdin, and merges them.
fn read_results(path: &Path, has_delivery_times: bool) -> Result<MergedLoad, PlanError> {
    let name = path.display();
    let wrong = |cause: &dyn Display| PlanError::new(format!("--merge {name}: {cause}"));
    let text = if path == Path::new("-") {
        io::read_to_string(io::stdin())
    } else {
        std::fs::read_to_string(path)
    };
    let text = text.map_err(|error| wrong(&error))?;
    MergedLoad::read(&text, has_delivery_times).map_err(|error| wrong(&error))
}

/// Returns the exit status of a complete load; why it failed, or was not judged, is logged.
fn exit_code(arguments: &Arguments, report: &LoadReport) -> ExitCode {
    let load = &report.measurement;
    if let Some(why) = load.not_judged {
        crate::log(&format!("{why}: reported, not judged"));
        return ExitCode::SUCCESS;
    }
    if let (Some(nothing), Some(why)) = (completeness::nothing(load), &report.nothing_measured) {
        // The end screen has the reason and the remedy already.
        let has_screen = arguments.output.prints_screen();
        crate::log(if has_screen { nothing } else { why });
        return ExitCode::from(NOTHING_MEASURED);
    }
    for failure in report.failures() {
        crate::log(&format!("failed: {failure}"));
    }
    if report.failures().next().is_some() {
        ExitCode::from(FAILED)
    } else if let (Some(why), []) = (&report.incomplete, &report.conditions[..]) {
        crate::log(&format!("not the whole load was measured: {why}"));
        ExitCode::from(NOTHING_MEASURED)
    } else if arguments.strict && load.result.generator_limited.is_some() {
        ExitCode::from(GENERATOR_LIMITED)
    } else {
        ExitCode::SUCCESS
    }
}

/// Where a running load is shown.
struct Displays<'a> {
    /// The display in the terminal; without one each second is a line on stderr.
    live: Option<&'a Live>,
    sampler: Option<&'a ServerSampler>,
    exporter: Option<&'a Exporter>,
}

impl Displays<'_> {
    fn add(&self, event: &Event<'_>) {
        if let Some(live) = self.live {
            let usage = self.sampler.and_then(ServerSampler::newest_usage);
            live.add(event);
            live.set_server(usage.as_ref().map(screen::server));
        }
        if let Event::Opening {
            opened,
            connections,
        } = event
            && self.live.is_none()
        {
            let text = format!("waiting for connections to open: {opened} of {connections}");
            let _ = writeln!(io::stderr(), "{text}");
        }
        if let Event::Second(second) = event {
            if let Some(exporter) = self.exporter {
                exporter.add(second);
            }
            if self.live.is_none() {
                let text = screen::second_line(second);
                let _ = writeln!(io::stderr(), "{text}");
            }
        }
    }
}

/// Executes a plan and returns the result and all seconds; each second is shown.
fn execute(
    plan: &LoadPlan,
    control: &Control,
    displays: &Displays<'_>,
) -> anyhow::Result<(LoadResult, Vec<LoadSecond>)> {
    let result = OnceLock::new();
    let seconds = Mutex::new(Vec::new());
    let report = |event: &Event<'_>| {
        displays.add(event);
        match event {
            Event::Ready(_) | Event::Opening { .. } | Event::Opened | Event::Started(_) => {}
            Event::Second(second) => {
                let mut seconds = seconds.lock().unwrap_or_else(PoisonError::into_inner);
                seconds.push((*second).clone());
            }
            Event::Result(whole) => {
                let _ = result.set((*whole).clone());
            }
        }
        Ok(())
    };
    client::run(plan, control, &report)?;
    let result = result.into_inner().context("the load has no result")?;
    let seconds = seconds.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((result, seconds))
}

fn objective(text: &str) -> Result<Objective, String> {
    Gate::unless(text).map(Objective)
}

/// Refuses a target that is neither on this machine nor in a private network.
fn check_target(url: &str, target: Option<SocketAddr>) -> Result<(), PlanError> {
    let is_own = target.is_some_and(|address| match address.ip() {
        IpAddr::V4(ip) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
    });
    if is_own {
        return Ok(());
    }
    let address = target.map_or_else(String::new, |address| format!(" ({})", address.ip()));
    Err(PlanError::new(format!(
        "{}{address} is neither on this machine nor in a private network: add --i-may-load-this \
         if you may load it",
        without_query(url)
    )))
}

/// Describes what was asked for, in one line.
fn title(url: &str, flags: &PlanFlags) -> String {
    let connections = flags.connections();
    let count = number_format::whole(connections as f64);
    let load = match flags.rate() {
        Some(rate) => format!("{count} connections{}", rate.words(connections)),
        None => format!("{count} connections"),
    };
    let load = load + &flags.kind_words();
    format!("{}: {load}", without_query(url))
}

/// Returns a URL without its query, which may have a token that belongs on no screen and in no file.
fn without_query(url: &str) -> String {
    url.split_once('?')
        .map_or_else(|| url.to_owned(), |(address, _)| format!("{address}?…"))
}
