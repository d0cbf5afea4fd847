//! CPU time and memory of the server's process, sampled while it is loaded.

use std::collections::BTreeMap;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use autostrada_measure::Nanos;
use autostrada_net::clock;
use autostrada_observe::{Reading, read_process_tree, read_thread_times};
use schemars::JsonSchema;
use serde::Serialize;

use crate::client::LoadResult;
use crate::plan::PlanError;

/// Time between two samples.
const EVERY: Duration = Duration::from_millis(50);

/// Minimum time between two samples that have the threads.
const THREADS_EVERY_NS: Nanos = 500_000_000;

/// The newest usage is that of this time.
const NEWEST_NS: Nanos = 1_000_000_000;

/// What the server's process and its descendants used.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "WatchedServer")]
pub struct ServerUsage {
    /// CPU time as a share of one core.
    pub cpu_utilization: f64,
    /// CPU time of the busiest thread as a share of one core; null if threads were sampled less
    /// than twice.
    pub busiest_thread_share: Option<f64>,
    /// Largest resident memory, in bytes.
    pub resident_bytes_max: u64,
}

/// Samples a process and its descendants.
#[derive(Debug)]
pub struct ServerSampler {
    end: Sender<()>,
    samples: Arc<Mutex<Vec<Sample>>>,
    thread: JoinHandle<()>,
}

/// A sample, and the instant at which it was taken.
#[derive(Debug, Clone)]
struct Sample {
    at_ns: Nanos,
    cpu_ns: u64,
    resident_bytes: u64,
    /// CPU time of each thread; `None` in most samples.
    threads: Option<BTreeMap<i32, u64>>,
}

impl ServerSampler {
    /// Starts to sample a process in a thread.
    pub fn start(pid: i32) -> Result<Self, PlanError> {
        let first =
            sample(pid, None).map_err(|error| PlanError::new(format!("--watch {pid}: {error}")))?;
        let mut threads_at_ns = first.at_ns;
        let (end, ended) = channel();
        let samples = Arc::new(Mutex::new(vec![first]));
        let all = Arc::clone(&samples);
        let thread = thread::spawn(move || {
            while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                // A process that has ended keeps its last sample.
                let Ok(sample) = sample(pid, Some(threads_at_ns)) else {
                    break;
                };
                if sample.threads.is_some() {
                    threads_at_ns = sample.at_ns;
                }
                all.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(sample);
            }
        });
        Ok(Self {
            end,
            samples,
            thread,
        })
    }

    /// Returns what the process has used in the last second; `None` if it has ended.
    pub fn newest_usage(&self) -> Option<ServerUsage> {
        let now = clock::now();
        let samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        let old = samples.partition_point(|sample| sample.at_ns + NEWEST_NS < now);
        usage(&samples[old..], 0, now)
    }

    /// Whether the process has ended.
    pub fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Ends the sampling; returns what the process used in the window of a result.
    pub fn usage(self, result: &LoadResult) -> Option<ServerUsage> {
        // The receiver is gone if the process has ended.
        let _ = self.end.send(());
        let _ = self.thread.join();
        let samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        let start_ns = result.window_start_ns;
        usage(&samples, start_ns, start_ns + result.window_ns)
    }
}

/// Samples a process, with its threads if that was not done for some time.
fn sample(
    pid: i32,
    threads_at_ns: Option<Nanos>,
) -> Result<Sample, autostrada_observe::ObserveError> {
    let Reading {
        cpu_ns,
        resident_bytes,
        ..
    } = read_process_tree(pid)?;
    let at_ns = clock::now();
    let is_recent = threads_at_ns.is_some_and(|last_ns| at_ns < last_ns + THREADS_EVERY_NS);
    Ok(Sample {
        at_ns,
        cpu_ns,
        resident_bytes,
        threads: (!is_recent).then(|| read_thread_times(pid)),
    })
}

/// Returns the share of a core that was used between the samples next to a window's ends, that of
/// the busiest thread, and the largest resident size; `None` if the window has no two samples.
fn usage(samples: &[Sample], start_ns: Nanos, end_ns: Nanos) -> Option<ServerUsage> {
    let within = |sample: &&Sample| (start_ns..=end_ns).contains(&sample.at_ns);
    let first = samples.iter().find(within)?;
    let last = samples.iter().rev().find(within)?;
    if last.at_ns <= first.at_ns {
        return None;
    }
    let used_ns = last.cpu_ns.saturating_sub(first.cpu_ns) as f64;
    let resident = samples
        .iter()
        .filter(within)
        .map(|each| each.resident_bytes);
    Some(ServerUsage {
        cpu_utilization: used_ns / (last.at_ns - first.at_ns) as f64,
        busiest_thread_share: busiest_thread_share(samples.iter().filter(within)),
        resident_bytes_max: resident.max().unwrap_or(0),
    })
}

/// Returns the share of a core that the busiest thread used; `None` if no two samples have threads.
fn busiest_thread_share<'a>(samples: impl Iterator<Item = &'a Sample>) -> Option<f64> {
    let mut with_threads = samples.filter_map(|each| Some((each.at_ns, each.threads.as_ref()?)));
    let (first_ns, first) = with_threads.next()?;
    let (last_ns, last) = with_threads.last()?;
    let used_ns = last.iter().map(|(thread, &cpu_ns)| {
        // A thread that was started in the meantime has used all of its time in it.
        cpu_ns.saturating_sub(first.get(thread).copied().unwrap_or(0))
    });
    Some(used_ns.max()? as f64 / (last_ns - first_ns) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_samples_within_the_window_count() {
        let samples = [(0, 0, 9), (10, 1, 1), (20, 6, 3), (30, 11, 2), (40, 99, 9)];
        let samples = samples.map(|(at_ns, cpu_ns, resident_bytes)| Sample {
            at_ns,
            cpu_ns,
            resident_bytes,
            threads: (at_ns != 20).then(|| BTreeMap::from([(1, cpu_ns / 2), (2, at_ns / 5)])),
        });
        let expected = ServerUsage {
            cpu_utilization: 0.5,
            busiest_thread_share: Some(0.25),
            resident_bytes_max: 3,
        };
        assert_eq!(usage(&samples, 5, 35), Some(expected));
        assert_eq!(usage(&samples, 5, 15), None);
        assert_eq!(usage(&[], 0, 100), None);
    }
}
