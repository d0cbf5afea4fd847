//! Reports the addresses of open connections to the process that observes them.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use autostrada_net::{Stream, append_without_waiting};
use autostrada_observe::SAMPLED_MAX;

use crate::plan::{ObserveCommand, OpenConnection};

/// The input of an observer, which all threads share.
///
/// It is open only while an address is written: the observer ends when its stdin has no writer.
#[derive(Debug)]
pub struct ObserverLink {
    file: PathBuf,
    /// Number of connections that were reported; the observer samples at most `SAMPLED_MAX`.
    reported: AtomicUsize,
}

impl ObserverLink {
    /// Creates a link to the observer that reads `file`.
    pub fn new(file: &Path) -> Self {
        Self {
            file: file.to_owned(),
            reported: AtomicUsize::new(0),
        }
    }

    /// Reports an open connection, one of the first; an error is logged and ends the reports.
    pub fn report(&self, stream: &Stream) {
        if self.reported.load(Ordering::Relaxed) >= SAMPLED_MAX {
            return;
        }
        self.reported.fetch_add(1, Ordering::Relaxed);
        if let Err(error) = self.write(stream) {
            self.reported.store(SAMPLED_MAX, Ordering::Relaxed);
            let file = self.file.display();
            crate::log(&format!(
                "further connections are not reported to {file}: {error}"
            ));
        }
    }

    fn write(&self, stream: &Stream) -> io::Result<()> {
        let (local, peer) = stream.addresses()?;
        let command = ObserveCommand::Connection(OpenConnection {
            pid: std::process::id().cast_signed(),
            local,
            peer,
        });
        let line = serde_json::to_string(&command)? + "\n";
        append_without_waiting(&self.file, line.as_bytes())
    }
}
