//! The documents to which a load is written, each format in a file of its own.

mod csv;
mod hgrm;
mod junit;
mod markdown;
mod prometheus;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use super::report::LoadReport;
use crate::plan::PlanError;
use csv::csv;
use hgrm::hgrm;
use junit::junit;
use markdown::markdown;
pub use prometheus::Exporter;

/// Where a result is written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputFlags {
    /// Write the result to a file, with its seconds and metrics; - for stdout, without the screen.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Write the metrics of --fail-if to a file, as a table of one row; - for stdout.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Write the metrics of --fail-if to a file, as a table to read; - for stdout.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,

    /// Write the conditions of --fail-if to a file as test cases, for a pipeline; - for stdout.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// Write the response times to a file as a percentile distribution, as programs for HDR
    /// histograms read it; - for stdout.
    #[arg(long, value_name = "FILE")]
    hgrm: Option<PathBuf>,

    /// Write the result as --json does, for the program that has started this one.
    #[arg(long, value_name = "FILE", hide = true)]
    result: Option<PathBuf>,

    /// Serve metrics for Prometheus meanwhile: http://IP:PORT/metrics.
    #[arg(long, value_name = "IP:PORT")]
    prometheus: Option<String>,

    /// Print a line a second instead of the live display, also in a terminal.
    #[arg(long)]
    pub plain: bool,

    /// Print the plan that the options describe, and do nothing.
    #[arg(long)]
    pub print_plan: bool,
}

impl OutputFlags {
    /// Starts to serve metrics if they are asked for.
    pub fn exporter(&self) -> Result<Option<Exporter>, PlanError> {
        self.prometheus.as_deref().map(Exporter::start).transpose()
    }

    /// Creates the files that are asked for, before anything is measured.
    /// Returns an error if a file cannot be created, or two documents are for stdout.
    pub fn documents(&self) -> Result<Documents, PlanError> {
        Documents::create(self.paths())
    }

    /// Whether the end screen is printed: there is no document for stdout.
    pub fn prints_screen(&self) -> bool {
        self.paths().all(|(_, path)| path != Path::new("-"))
    }

    /// Returns where each document is to be written.
    fn paths(&self) -> impl Iterator<Item = (Format, &Path)> {
        let formats: [(Format, &Option<PathBuf>); 6] = [
            (json, &self.result),
            (json, &self.json),
            (csv, &self.csv),
            (markdown, &self.markdown),
            (junit, &self.junit),
            (hgrm, &self.hgrm),
        ];
        let paths = formats.into_iter();
        paths.filter_map(|(format, path)| Some((format, path.as_deref()?)))
    }
}

/// Returns a result as a document.
type Format = fn(&LoadReport) -> String;

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
                    "only one of --json, --csv, --markdown, --junit and --hgrm can be - (stdout)",
                ));
            }
        }
        Ok(Self { files, stdout })
    }

    /// Writes all documents, and prints the end screen or the document for stdout.
    /// Returns an error if a document cannot be written; all others are written nevertheless.
    pub fn write(self, report: &LoadReport, end_screen: &str) -> anyhow::Result<()> {
        let printed = self
            .stdout
            .map_or_else(|| end_screen.to_owned(), |format| format(report));
        let mut written = io::stdout().write_all(printed.as_bytes()).context("stdout");
        for (format, path, mut file) in self.files {
            let one = file.write_all(format(report).as_bytes());
            written = written.and(one.with_context(|| path.display().to_string()));
        }
        written.context("the result cannot be written")
    }
}

fn json(report: &LoadReport) -> String {
    serde_json::to_string(report).expect("all keys are texts") + "\n"
}
