//! `autostrada-engine schema`: prints the JSON Schema of plans and lines.

use std::io::Write;
use std::process::ExitCode;

use crate::schema;

/// Print the JSON Schema of all plans and lines.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: autostrada-engine schema > schema.json")]
pub struct Arguments {}

/// Prints the schema.
pub fn run(_arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let text = serde_json::to_string_pretty(&schema::documents())?;
    writeln!(std::io::stdout(), "{text}")?;
    Ok(ExitCode::SUCCESS)
}
