//! The log on stderr.

use std::io::Write;

/// Writes one line to stderr. An error is ignored, because it could not be reported anywhere.
pub fn log(text: &str) {
    let _ = writeln!(std::io::stderr(), "autostrada-engine: {text}");
}
