//! A server that is started for a load, and stopped after it.

use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};
use autostrada_net::{Endpoint, clock};
use autostrada_observe::has_running_process;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::plan::nanos;

/// How long the server may take until it listens, in seconds.
const LISTENS_WITHIN_S: f64 = 60.0;

/// How long the server may take until it has ended, after each of two signals.
const ENDS_WITHIN: Duration = Duration::from_secs(5);

/// Time between two attempts.
const EVERY: Duration = Duration::from_millis(10);

/// Length of the server's output that is kept for a message about its end, in bytes.
const OUTPUT_BYTES_MAX: usize = 4096;

/// Executes a command in a shell, and ends its process group when stdin ends: also if this process
/// is killed. The shell that waits for it is no descendant of the command, so it is not measured.
const SCRIPT: &str = r#"exec 3<&0 </dev/null
( { cat <&3 >/dev/null 2>&1; kill -TERM 0; } >/dev/null 2>&1 & )
exec 3<&-
exec sh -c "$1""#;

/// A running server; it is ended when dropped.
#[derive(Debug)]
pub struct ServerCommand {
    /// The process id of the server.
    pub pid: i32,
    /// Receives its exit status.
    ended: Receiver<io::Result<ExitStatus>>,
    /// The end of this pipe ends the server.
    _stdin: Option<ChildStdin>,
    output: Arc<Mutex<Vec<u8>>>,
    /// Disconnected at the end of the output.
    output_ended: Receiver<()>,
}

impl ServerCommand {
    /// Starts a command in a shell and waits until it listens.
    /// Returns an error if the command ends before it listens, or does not listen in time.
    pub fn start(command: &str, endpoint: &Endpoint) -> anyhow::Result<Self> {
        if endpoint.has_listener() {
            bail!("--watch-command: a server listens at {endpoint} already: stop it first");
        }
        let (reader, writer) = io::pipe()?;
        let mut child = Command::new("sh")
            .args(["-c", SCRIPT, "sh", command])
            .stdin(Stdio::piped())
            .stdout(writer.try_clone()?)
            .stderr(writer)
            .process_group(0)
            .spawn()
            .context("--watch-command: no shell can be started")?;
        let output = Arc::default();
        let kept = Arc::clone(&output);
        let (end_output, output_ended) = channel();
        thread::spawn(move || {
            keep_end(reader, &kept);
            drop(end_output);
        });
        let (end, ended) = channel();
        let server = Self {
            pid: i32::try_from(child.id())?,
            ended,
            _stdin: child.stdin.take(),
            output,
            output_ended,
        };
        // The receiver is gone if the load has ended.
        thread::spawn(move || end.send(child.wait()));
        server.wait_until_it_listens(endpoint)?;
        Ok(server)
    }

    fn wait_until_it_listens(&self, endpoint: &Endpoint) -> anyhow::Result<()> {
        let give_up_at = clock::now() + nanos(LISTENS_WITHIN_S);
        while !endpoint.has_listener() {
            match self.ended.recv_timeout(EVERY) {
                Ok(status) => {
                    let _ = self.output_ended.recv_timeout(ENDS_WITHIN);
                    let (status, last) = (status?, self.last_line());
                    bail!(
                        "--watch-command: it ended ({status}) before it listened at {endpoint}{last}"
                    );
                }
                Err(_) if clock::now() > give_up_at => {
                    let last = self.last_line();
                    bail!(
                        "--watch-command: it does not listen at {endpoint} after \
                         {LISTENS_WITHIN_S} s{last}"
                    );
                }
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// Returns how the server has ended, within this time; `None` if it has not.
    pub fn how_it_ended(&self, within: Duration) -> Option<String> {
        let status = self.ended.recv_timeout(within).ok()?.ok()?;
        Some(match (status.code(), status.signal()) {
            (Some(code), _) => format!("ended with status {code}"),
            (None, signal) => format!("was ended by signal {}", signal.unwrap_or_default()),
        })
    }

    /// Returns the last line of the output after a colon; nothing without output.
    fn last_line(&self) -> String {
        let output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&output);
        let last = text.lines().rfind(|line| !line.trim().is_empty());
        last.map_or_else(String::new, |line| format!(": {}", line.trim()))
    }
}

impl Drop for ServerCommand {
    /// Ends the server and its descendants, at last by force, and waits until they have ended.
    fn drop(&mut self) {
        for signal in [Signal::SIGTERM, Signal::SIGKILL] {
            // Errors are ignored: a group that has ended needs no signal.
            let _ = killpg(Pid::from_raw(self.pid), signal);
            let give_up_at = clock::now() + nanos(ENDS_WITHIN.as_secs_f64());
            while has_running_process(self.pid) && clock::now() < give_up_at {
                thread::park_timeout(EVERY);
            }
        }
    }
}

/// Reads output until it ends, and keeps its last bytes.
fn keep_end(mut output: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; OUTPUT_BYTES_MAX];
    while let Ok(length @ 1..) = output.read(&mut buffer) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&buffer[..length]);
        let over = kept.len().saturating_sub(OUTPUT_BYTES_MAX);
        kept.drain(..over);
    }
}
