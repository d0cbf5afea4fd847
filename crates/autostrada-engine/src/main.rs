//! `autostrada-engine`: measures servers and clients. One file per sub-command in `cmd`.

mod busy_poll;
mod client;
mod cmd;
mod command_channel;
mod ended;
mod line;
mod log;
mod observe;
mod observer_link;
mod plan;
mod probe;
mod send_buffer;
mod server;

use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use log::log;

/// Measure WebSocket software: as a client that measures servers, as a server that measures
/// clients, and by sampling processes and the machine. Prints data as JSON lines on stdout
/// (docs/format.md) and logs on stderr.
#[derive(Debug, Parser)]
#[command(version = env!("AUTOSTRADA_VERSION"), arg_required_else_help = true)]
enum Command {
    Load(Box<cmd::load::Arguments>),
    /// Sample CPU time, memory and sockets of processes and their descendants, by a plan on stdin.
    Observe,
    /// Measure the limits of this machine: loopback, system calls, timers. Takes three seconds.
    Probe,
    /// Print the JSON Schema of all plans and lines.
    #[command(after_help = "Example: autostrada-engine schema > schema.json")]
    Schema,
    Serve(Box<cmd::serve::Arguments>),
}

/// Options of other load generators, and what they are called here.
const OTHER_TOOLS: &[(&str, &str)] = &[
    ("-z", "--duration"),
    ("-T", "--duration"),
    ("-q", "--rate"),
    ("-R", "--rate"),
    ("-u", "--connections"),
    ("--vus", "--connections"),
];

fn main() -> ExitCode {
    let command = match Command::try_parse() {
        Ok(command) => command,
        Err(error) => return refused(&error),
    };
    let result = match command {
        Command::Load(arguments) => cmd::load::run(&arguments),
        Command::Observe => cmd::observe::run(),
        Command::Probe => cmd::probe::run(),
        Command::Schema => cmd::schema::run(),
        Command::Serve(arguments) => cmd::serve::run(&arguments).map(|()| ExitCode::SUCCESS),
    };
    match result {
        Ok(status) => status,
        Err(error) => {
            let status = if error.is::<plan::PlanError>() { 2 } else { 1 };
            log(&format!("{error:#}"));
            ExitCode::from(status)
        }
    }
}

/// Says in one line what is wrong with the arguments; help and version go to stdout.
fn refused(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        error.exit();
    }
    let text = error.to_string();
    let lines = text.lines().take_while(|line| !line.is_empty());
    let words: Vec<_> = lines.flat_map(str::split_whitespace).collect();
    let line = words.join(" ");
    let remedy = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(name)) if error.kind() == ErrorKind::UnknownArgument => {
            let known = OTHER_TOOLS.iter().find(|(other, _)| other == name);
            known.map(|(_, ours)| format!("here it is {ours}"))
        }
        _ => None,
    };
    let remedy = remedy.unwrap_or_else(|| "--help lists all options".to_owned());
    log(&format!("{}; {remedy}", line.trim_start_matches("error: ")));
    ExitCode::from(2)
}
