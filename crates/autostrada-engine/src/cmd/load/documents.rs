//! The files to which a result is written.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use serde_json::Value;

use super::tables;
use crate::plan::PlanError;

/// Where a result is written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputFlags {
    /// Write the result to a file, as docs/format.md describes it; - for stdout, without the screen.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Write the metrics of --fail-if to a file, as a table of one row; - for stdout.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Write the metrics of --fail-if to a file, as a table to read; - for stdout.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,

    /// Print a line a second instead of the live display, also in a terminal.
    #[arg(long)]
    pub plain: bool,

    /// Print the plan that the options describe, and do nothing.
    #[arg(long)]
    pub print_plan: bool,
}

impl OutputFlags {
    /// Creates the files that are asked for, before anything is measured.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be created, or if two documents are for stdout.
    pub fn documents(&self) -> Result<Documents, PlanError> {
        let formats = [
            (Format::Json, &self.json),
            (Format::Csv, &self.csv),
            (Format::Markdown, &self.markdown),
        ];
        let paths = formats.into_iter();
        Documents::create(paths.filter_map(|(format, path)| Some((format, path.as_deref()?))))
    }
}

/// How a result is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// The result itself.
    Json,
    /// The metrics as a table of one row.
    Csv,
    /// The metrics as a table to read.
    Markdown,
}

/// Files that are open for a result. Without a document for stdout, the end screen is printed.
#[derive(Debug)]
pub struct Documents {
    files: Vec<(Format, PathBuf, File)>,
    stdout: Option<Format>,
}

impl Documents {
    /// Creates the file of each document; `-` stands for stdout.
    fn create<'a>(paths: impl Iterator<Item = (Format, &'a Path)>) -> Result<Self, PlanError> {
        let (mut files, mut stdout) = (Vec::new(), None);
        for (format, path) in paths {
            if path != Path::new("-") {
                let file = File::create(path)
                    .map_err(|error| PlanError::new(format!("{}: {error}", path.display())))?;
                files.push((format, path.to_owned(), file));
            } else if stdout.replace(format).is_some() {
                return Err(PlanError::new(
                    "only one of --json, --csv and --markdown can be - (stdout)",
                ));
            }
        }
        Ok(Self { files, stdout })
    }

    /// Writes all documents, and prints the end screen or the document for stdout.
    ///
    /// # Errors
    ///
    /// Returns an error if a document cannot be written; all others are written nevertheless.
    pub fn write(self, asked: &str, result: &Value, end_screen: &str) -> anyhow::Result<()> {
        let document = |format| match format {
            Format::Json => format!("{result}\n"),
            Format::Csv => tables::csv(result),
            Format::Markdown => tables::markdown(asked, result),
        };
        let printed = self.stdout.map_or_else(|| end_screen.to_owned(), document);
        let mut written = io::stdout().write_all(printed.as_bytes()).context("stdout");
        for (format, path, mut file) in self.files {
            let one = file.write_all(document(format).as_bytes());
            written = written.and(one.with_context(|| path.display().to_string()));
        }
        written.context("the result cannot be written")
    }
}
