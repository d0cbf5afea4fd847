//! Samples processes at regular intervals, until all have ended or the caller ends it.

mod core_loops;
mod missing_reports;
mod sample_times;
mod sampler;

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use anyhow::Context;
use autostrada_measure::Nanos;
use autostrada_net::{clock, limits};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::pipe;

use core_loops::LoopTimer;
use sample_times::SampleTimes;
use sampler::Sampler;

use crate::command_channel::Documents;
use crate::ended::Ended;
use crate::line::{Line, print};
use crate::plan::{ObserveCommand, ObservePlan, PlanError};

/// An event between two samples.
#[derive(Debug)]
enum Event {
    /// A command, or an invalid one.
    Command(Result<ObserveCommand, PlanError>),
    StdinEnded,
    Signal,
}

/// Executes a plan, and prints one line per sample; `stdin` is the input after the plan.
/// Returns an error if a process or a core of the plan is not there, if a command is invalid, or if
/// stdout is closed.
pub fn run<R: Read + Send + 'static>(
    plan: &ObservePlan,
    stdin: Documents<R>,
) -> anyhow::Result<Ended> {
    limits::raise_descriptor_limit().context("cannot raise the limit of open files")?;
    let (sender, events) = channel();
    forward_signals(sender.clone())?;
    let begin = clock::now();
    let mut sample_times = SampleTimes::new(begin, plan.every_ns());
    let loops = LoopTimer::start(&plan.loop_cores)?;
    let mut sampler = Sampler::new(plan, loops);
    let mut sample = sampler.sample(begin);
    if let Some(error) = sampler.absent_process() {
        return Err(error.into());
    }
    forward_commands(stdin, sender);
    loop {
        print(&Line::Sample(&sample))?;
        if sampler.is_over() {
            return Ok(Ended::Complete);
        }
        let due = sample_times.next(clock::now());
        while let Some(event) = wait_until(due, &events) {
            match event {
                Event::Command(command) => sampler.execute(command?)?,
                Event::StdinEnded => return Ok(Ended::Complete),
                Event::Signal => return Ok(Ended::Interrupted),
            }
        }
        sample = sampler.sample(clock::now());
    }
}

/// Waits for an event; returns `None` at `due`.
fn wait_until(due: Nanos, events: &Receiver<Event>) -> Option<Event> {
    let left = Duration::from_nanos(due.saturating_sub(clock::now()));
    match events.recv_timeout(left) {
        Ok(event) => Some(event),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(Event::StdinEnded),
    }
}

/// Starts a thread that forwards SIGINT and SIGTERM.
fn forward_signals(sender: Sender<Event>) -> anyhow::Result<()> {
    let (mut reader, writer) = UnixStream::pair()?;
    for signal in [SIGINT, SIGTERM] {
        pipe::register(signal, writer.try_clone()?)?;
    }
    std::thread::spawn(move || {
        if reader.read_exact(&mut [0]).is_ok() {
            let _ = sender.send(Event::Signal);
        }
    });
    Ok(())
}

/// Starts a thread that forwards commands and the end of stdin.
fn forward_commands<R: Read + Send + 'static>(mut stdin: Documents<R>, sender: Sender<Event>) {
    std::thread::spawn(move || {
        // Sending fails if sampling has ended already.
        while let Some(command) = stdin.next::<ObserveCommand>() {
            if sender.send(Event::Command(command)).is_err() {
                return;
            }
        }
        let _ = sender.send(Event::StdinEnded);
    });
}
