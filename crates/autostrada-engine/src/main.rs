//! `autostrada-engine`: measures servers and clients. One file per sub-command in `cmd`.

mod client;
mod cmd;
mod command_channel;
mod ended;
mod line;
mod observer_link;
mod plan;
mod probe;
mod schema;
mod send_buffer;
mod server;
mod watch;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

/// Measure WebSocket software: as a client that measures servers, as a server that measures
/// clients, and by sampling processes and the machine. Prints data as JSON lines on stdout
/// (docs/format.md) and logs on stderr.
#[derive(Debug, Parser)]
#[command(version = env!("AUTOSTRADA_VERSION"), arg_required_else_help = true)]
enum Command {
    Load(cmd::load::Arguments),
    Observe(cmd::observe::Arguments),
    Probe(cmd::probe::Arguments),
    Schema(cmd::schema::Arguments),
    Serve(Box<cmd::serve::Arguments>),
}

fn main() -> ExitCode {
    let result = match Command::parse() {
        Command::Load(arguments) => cmd::load::run(&arguments),
        Command::Observe(arguments) => cmd::observe::run(&arguments),
        Command::Probe(arguments) => cmd::probe::run(&arguments),
        Command::Schema(arguments) => cmd::schema::run(&arguments),
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

/// Writes one line to stderr. An error is ignored, because it could not be reported anywhere.
fn log(text: &str) {
    let _ = writeln!(std::io::stderr(), "autostrada-engine: {text}");
}
