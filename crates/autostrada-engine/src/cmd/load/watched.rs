//! CPU time and memory of the server's process, sampled while it is loaded.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use autostrada_measure::Nanos;
use autostrada_net::clock;
use autostrada_observe::{Reading, read_process_tree};
use serde_json::{Value, json};

use crate::plan::PlanError;

/// Time between two samples.
const EVERY: Duration = Duration::from_millis(50);

/// The newest usage is that of this time.
const NEWEST_NS: Nanos = 1_000_000_000;

/// A process and its descendants that are being sampled.
#[derive(Debug)]
pub struct Watched {
    end: Sender<()>,
    samples: Arc<Mutex<Vec<Sample>>>,
    sampler: JoinHandle<()>,
}

/// A sample, and the instant at which it was taken.
#[derive(Debug, Clone, Copy)]
struct Sample {
    at_ns: Nanos,
    cpu_ns: u64,
    resident_bytes: u64,
}

impl Watched {
    /// Starts to sample a process in a thread.
    ///
    /// # Errors
    ///
    /// Returns an error if the process cannot be read.
    pub fn start(pid: i32) -> Result<Self, PlanError> {
        let first =
            sample(pid).map_err(|error| PlanError::new(format!("--watch {pid}: {error}")))?;
        let (end, ended) = channel();
        let samples = Arc::new(Mutex::new(vec![first]));
        let taken = Arc::clone(&samples);
        let thread = thread::spawn(move || {
            while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                // A process that has ended keeps its last sample.
                let Ok(sample) = sample(pid) else { break };
                taken
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(sample);
            }
        });
        Ok(Self {
            end,
            samples,
            sampler: thread,
        })
    }

    /// Returns what the process has used in the last second; null if it has ended.
    pub fn newest_usage(&self) -> Value {
        let now = clock::now();
        let samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        let old = samples.partition_point(|sample| sample.at_ns + NEWEST_NS < now);
        usage(&samples[old..], 0, now)
    }

    /// Ends the sampling; returns what the process used in the window of a result.
    pub fn usage(self, result: &Value) -> Value {
        // The receiver is gone if the process has ended.
        let _ = self.end.send(());
        let _ = self.sampler.join();
        let samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        let start_ns = result["window_start_ns"].as_u64().unwrap_or(0);
        let end_ns = start_ns + result["window_ns"].as_u64().unwrap_or(0);
        usage(&samples, start_ns, end_ns)
    }
}

fn sample(pid: i32) -> Result<Sample, autostrada_observe::ObserveError> {
    let Reading {
        cpu_ns,
        resident_bytes,
        ..
    } = read_process_tree(pid)?;
    Ok(Sample {
        at_ns: clock::now(),
        cpu_ns,
        resident_bytes,
    })
}

/// Returns the share of a core that was used between the samples next to a window's ends, and the
/// largest resident size; null if the window has no two samples.
#[expect(
    clippy::cast_precision_loss,
    reason = "durations are shorter than a day"
)]
fn usage(samples: &[Sample], start_ns: Nanos, end_ns: Nanos) -> Value {
    let within = |sample: &&Sample| (start_ns..=end_ns).contains(&sample.at_ns);
    let (Some(first), Some(last)) = (
        samples.iter().find(within),
        samples.iter().rev().find(within),
    ) else {
        return Value::Null;
    };
    if last.at_ns <= first.at_ns {
        return Value::Null;
    }
    let used_ns = last.cpu_ns.saturating_sub(first.cpu_ns) as f64;
    let resident = samples
        .iter()
        .filter(within)
        .map(|each| each.resident_bytes);
    json!({
        "cpu_share": used_ns / (last.at_ns - first.at_ns) as f64,
        "resident_bytes_max": resident.max(),
    })
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
        });
        assert_eq!(
            usage(&samples, 5, 35),
            json!({"cpu_share": 0.5, "resident_bytes_max": 3})
        );
        assert_eq!(usage(&samples, 5, 15), Value::Null);
        assert_eq!(usage(&[], 0, 100), Value::Null);
    }
}
