//! Samples processes at regular intervals, until all have ended or the caller ends it.

pub mod line;
mod reported;
mod sampler;
mod timetable;

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use anyhow::Context;
use autostrada_measure::Nanos;
use autostrada_net::{clock, limits};
use serde::de::IgnoredAny;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::pipe;

use sampler::Sampler;
use timetable::Timetable;

use crate::command_channel::Documents;
use crate::line::{Line, print};
use crate::plan::{ObservePlan, PlanError};

/// How sampling ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// All processes have ended, or stdin has.
    Complete,
    /// SIGINT or SIGTERM arrived.
    Interrupted,
}

/// An event that ends sampling.
#[derive(Debug)]
enum Interruption {
    StdinEnded,
    /// stdin contains something after the plan.
    TrailingInput,
    Signal,
}

/// Executes a plan, and prints one line per sample; `stdin` is the input after the plan.
///
/// # Errors
///
/// Returns an error if a process of the plan does not run, if something follows the plan on stdin,
/// or if stdout is closed.
pub fn run<R: Read + Send + 'static>(
    plan: &ObservePlan,
    stdin: Documents<R>,
) -> anyhow::Result<Ended> {
    limits::raise_descriptor_limit().context("cannot raise the limit of open files")?;
    let (sender, interruptions) = channel();
    forward_signals(sender.clone())?;
    let begin = clock::now();
    let mut timetable = Timetable::new(begin, plan.every_ns());
    let mut sampler = Sampler::new(plan);
    let mut sample = sampler.sample(begin);
    if let Some(error) = sampler.absent_process() {
        return Err(error.into());
    }
    forward_end(stdin, sender);
    loop {
        print(&Line::Sample(&sample))?;
        if sampler.is_over() {
            return Ok(Ended::Complete);
        }
        let due = timetable.next(clock::now());
        if let Some(interruption) = wait_until(due, &interruptions) {
            return interruption.end();
        }
        sample = sampler.sample(clock::now());
    }
}

fn wait_until(due: Nanos, interruptions: &Receiver<Interruption>) -> Option<Interruption> {
    let left = Duration::from_nanos(due.saturating_sub(clock::now()));
    match interruptions.recv_timeout(left) {
        Ok(interruption) => Some(interruption),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(Interruption::StdinEnded),
    }
}

impl Interruption {
    fn end(self) -> anyhow::Result<Ended> {
        match self {
            Self::StdinEnded => Ok(Ended::Complete),
            Self::Signal => Ok(Ended::Interrupted),
            Self::TrailingInput => Err(PlanError::new(
                "stdin: nothing may follow the plan: leave stdin open and silent until observe is \
                 to end",
            )
            .into()),
        }
    }
}

/// Starts a thread that forwards SIGINT and SIGTERM.
fn forward_signals(sender: Sender<Interruption>) -> anyhow::Result<()> {
    let (mut reader, writer) = UnixStream::pair()?;
    for signal in [SIGINT, SIGTERM] {
        pipe::register(signal, writer.try_clone()?)?;
    }
    std::thread::spawn(move || {
        if reader.read_exact(&mut [0]).is_ok() {
            let _ = sender.send(Interruption::Signal);
        }
    });
    Ok(())
}

/// Starts a thread that forwards the end of stdin.
fn forward_end<R: Read + Send + 'static>(mut stdin: Documents<R>, sender: Sender<Interruption>) {
    std::thread::spawn(move || {
        let interruption = match stdin.next::<IgnoredAny>() {
            None => Interruption::StdinEnded,
            Some(_) => Interruption::TrailingInput,
        };
        // Sending fails if sampling has ended already.
        let _ = sender.send(interruption);
    });
}
