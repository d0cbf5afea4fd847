//! How fast cores are: the times of a loop of fixed length on each, and of a message between two.
//!
//! The loop takes longer while something else uses the same physical core, such as another guest of
//! the host on its second hardware thread. A message takes several times as long if the host runs
//! both cores on different parts of a processor, which share no cache.

use std::hint::{black_box, spin_loop};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use autostrada_measure::Nanos;
use autostrada_net::{clock, limits};

use crate::line::sample::CoreLoops;
use crate::plan::PlanError;

/// Time between two timings on a core: they take about 3 % of it.
const EVERY_NS: Nanos = 4_000_000;

/// Number of loops of a timing, of which the fastest counts: the first one waits for its
/// instructions, and one may be interrupted.
const ATTEMPTS: usize = 3;

/// Rounds of additions in a loop, and instructions of its program: 3 and 9 µs, so that few
/// interrupts fall into them.
const ROUNDS: usize = 1_200;
const INSTRUCTIONS: usize = 1_024;

/// Number of messages, there and back, that are timed between two cores.
const MESSAGES: u64 = 20;

/// Time for which a core waits for the other one, and then for all messages.
const MEETING_NS: Nanos = 100_000;

/// Times the loop on some cores until it is dropped.
#[derive(Debug)]
pub struct LoopTimer(Vec<TimedCore>);

#[derive(Debug)]
struct TimedCore {
    core: usize,
    sums: Arc<Sums>,
    /// Ends the thread when it is dropped.
    _end: Sender<()>,
}

#[derive(Debug, Default)]
struct Sums {
    loops: AtomicU64,
    loops_ns: AtomicU64,
    messages: AtomicU64,
    messages_ns: AtomicU64,
}

impl LoopTimer {
    /// Starts a thread on each core. Messages go from the first one to the last one.
    /// Returns an error if this process may not run on one of them.
    pub fn start(cores: &[usize]) -> Result<Self, PlanError> {
        let meeting = Arc::<Meeting>::default();
        let of_core = |(index, &core): (usize, &usize)| {
            let is_first = index == 0;
            let meets = cores.len() > 1 && (is_first || index == cores.len() - 1);
            let role = meets.then(|| (Arc::clone(&meeting), is_first));
            TimedCore::start(core, role)
        };
        let timed: Result<_, _> = cores.iter().enumerate().map(of_core).collect();
        Ok(Self(timed?))
    }

    /// Returns what was timed on each core so far.
    pub fn sums(&self) -> Vec<CoreLoops> {
        let of_core = |timed: &TimedCore| CoreLoops {
            core: timed.core,
            loops: timed.sums.loops.load(Ordering::Acquire),
            loops_ns: timed.sums.loops_ns.load(Ordering::Acquire),
            messages: timed.sums.messages.load(Ordering::Acquire),
            messages_ns: timed.sums.messages_ns.load(Ordering::Acquire),
        };
        self.0.iter().map(of_core).collect()
    }
}

impl TimedCore {
    fn start(core: usize, role: Option<(Arc<Meeting>, bool)>) -> Result<Self, PlanError> {
        let sums = Arc::<Sums>::default();
        let (end, ended) = channel();
        let (report, moved) = channel();
        let counted = Arc::clone(&sums);
        thread::spawn(move || {
            let result = limits::run_on_core(core);
            let can_run = result.is_ok();
            if report.send(result).is_ok() && can_run {
                time_until(&ended, &counted, role.as_ref());
            }
        });
        let result = moved
            .recv()
            .unwrap_or_else(|gone| Err(io::Error::other(gone)));
        result.map_err(|error| {
            PlanError::new(format!(
                "loop_cores: cannot run on core {core}: {error}: name cores that this process may \
                 use"
            ))
        })?;
        Ok(Self {
            core,
            sums,
            _end: end,
        })
    }
}

/// Times messages and the loop at regular instants, which are those of all cores, until the other
/// end is dropped.
fn time_until(ended: &Receiver<()>, sums: &Sums, role: Option<&(Arc<Meeting>, bool)>) {
    let mut calculation = Calculation::new();
    loop {
        let now = clock::now();
        let due = (now / EVERY_NS + 1) * EVERY_NS;
        if ended.recv_timeout(Duration::from_nanos(due - now)) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        if let Some((meeting, is_first)) = role {
            if *is_first {
                if let Some(ns) = meeting.ask(due) {
                    sums.messages_ns.fetch_add(ns, Ordering::AcqRel);
                    sums.messages.fetch_add(MESSAGES, Ordering::AcqRel);
                }
            } else {
                meeting.answer(due);
            }
        }
        let ns = (0..ATTEMPTS).map(|_| calculation.time()).min().unwrap_or(0);
        // A reader may see the time without its loop, which is one of hundreds.
        sums.loops_ns.fetch_add(ns, Ordering::AcqRel);
        sums.loops.fetch_add(1, Ordering::AcqRel);
    }
}

/// The word in memory by which two cores send each other messages: odd ones are answered.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Meeting(AtomicU64);

impl Meeting {
    /// Returns how long all messages took; `None` if the other core did not answer them in time.
    /// Messages have the instant of the meeting in them, so that no late one is taken for another.
    fn ask(&self, due: Nanos) -> Option<Nanos> {
        let first = due << 8;
        self.0.store(first | 1, Ordering::Release);
        self.wait(first | 2)?;
        let begin = clock::now();
        for message in 1..=MESSAGES {
            self.0.store(first | (2 * message + 1), Ordering::Release);
            self.wait(first | (2 * message + 2))?;
        }
        Some(clock::now().saturating_sub(begin))
    }

    fn answer(&self, due: Nanos) {
        let first = due << 8;
        for message in 0..=MESSAGES {
            if self.wait(first | (2 * message + 1)).is_none() {
                return;
            }
            self.0.store(first | (2 * message + 2), Ordering::Release);
        }
    }

    /// Waits for a message; `None` if it does not come in time.
    fn wait(&self, message: u64) -> Option<()> {
        let ends_at = clock::now() + MEETING_NS;
        let mut tries = 0_u32;
        while self.0.load(Ordering::Acquire) != message {
            tries += 1;
            if tries.is_multiple_of(64) && clock::now() > ends_at {
                return None;
            }
            spin_loop();
        }
        Some(())
    }
}

/// The loop: additions that do not wait for each other, which keep several units of a core busy at
/// once, and a program whose jumps a core cannot foresee. Code that serves messages is between them.
struct Calculation {
    program: Vec<u8>,
    memory: [u64; 128],
}

impl Calculation {
    fn new() -> Self {
        // A linear congruential generator (Numerical Recipes, second edition, section 7.1).
        let next = |last: &u32| Some(last.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        let numbers = std::iter::successors(Some(1), next).take(INSTRUCTIONS);
        Self {
            program: numbers.map(|number| (number >> 28) as u8).collect(),
            memory: [0; 128],
        }
    }

    /// Returns the time of the loop in nanoseconds.
    fn time(&mut self) -> Nanos {
        let begin = clock::now();
        let mut sums = [0_u64; 6];
        for _ in 0..ROUNDS {
            for (step, sum) in (1..).zip(&mut sums) {
                *sum = black_box(*sum + step);
            }
        }
        black_box((sums, self.run()));
        clock::now().saturating_sub(begin)
    }

    fn run(&mut self) -> u64 {
        let (mut one, mut other) = (7_u64, 11_u64);
        for instruction in &self.program {
            let place = |value: u64| usize::from(value.to_le_bytes()[0] & 127);
            match instruction {
                0 => one = one.wrapping_mul(3).wrapping_add(other),
                1 => other ^= one >> 5,
                2 => self.memory[place(one)] = other,
                3 => other = other.wrapping_add(self.memory[place(other)]),
                4 => one = one.rotate_left(7) ^ other,
                5 => (one, other) = (other, one),
                6 if one > other => one -= other,
                6 => other -= one,
                7 => one = one.wrapping_sub(other | 1),
                8 => self.memory[place(other)] ^= one,
                9 => other = other.rotate_right(11).wrapping_add(9),
                10 => one = !one,
                11 if one & 1 == 0 => other = other.wrapping_add(5),
                12 => one = one.wrapping_add(u64::from(other.count_ones())),
                13 => other = other.wrapping_mul(5),
                14 => one ^= self.memory[place(one ^ other)],
                _ => one = one.wrapping_add(other >> 3),
            }
        }
        one ^ other
    }
}

#[cfg(test)]
#[path = "tests/core_loops.rs"]
mod tests;
