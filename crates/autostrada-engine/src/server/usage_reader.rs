//! What is read at the start and at the end of a measurement: the usage of the observed processes,
//! and the CPU time of this thread.

use std::collections::BTreeMap;

use autostrada_measure::Nanos;
use autostrada_net::clock;
use autostrada_observe::{Reading, read_process_tree};

use crate::line::ProcessResult;

/// Reads what processes and this thread use.
#[derive(Debug)]
pub struct UsageReader {
    /// PIDs by name; `None` until the expected `observe` command arrives.
    processes: Option<BTreeMap<String, i32>>,
    /// Time the thread spent polling without a result, in nanoseconds.
    pub spun_ns: Nanos,
}

impl UsageReader {
    /// Creates a reader of no process, or with `hold` of unknown ones that
    /// [`configure`](Self::configure) sets.
    pub fn new(hold: bool) -> Self {
        Self {
            processes: (!hold).then(BTreeMap::new),
            spun_ns: 0,
        }
    }

    /// Sets the processes to read, by name.
    pub fn configure(&mut self, processes: BTreeMap<String, i32>) {
        self.processes = Some(processes);
    }

    /// Returns whether the processes are known.
    pub fn is_configured(&self) -> bool {
        self.processes.is_some()
    }

    /// Returns the CPU time of this thread without that of polling, in nanoseconds.
    pub fn busy_ns(&self) -> Nanos {
        clock::thread_cpu().saturating_sub(self.spun_ns)
    }

    /// Reads the usage of each process tree; omits and logs processes that cannot be read.
    pub fn read(&self) -> BTreeMap<String, Reading> {
        let mut readings = BTreeMap::new();
        for (name, &pid) in self.processes.iter().flatten() {
            match read_process_tree(pid) {
                Ok(reading) => {
                    readings.insert(name.clone(), reading);
                }
                Err(error) => crate::log(&error.to_string()),
            }
        }
        readings
    }
}

/// Returns the usage between two readings, for each process that is in both.
pub fn between(
    first: &BTreeMap<String, Reading>,
    second: &BTreeMap<String, Reading>,
) -> BTreeMap<String, ProcessResult> {
    second
        .iter()
        .filter_map(|(name, &last)| {
            let result = ProcessResult::between(*first.get(name)?, last);
            Some((name.clone(), result))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_was_announced_and_leaves_out_what_is_gone() {
        let mut usage_reader = UsageReader::new(true);
        assert!(!usage_reader.is_configured());
        assert!(usage_reader.read().is_empty());
        let own = std::process::id().cast_signed();
        usage_reader.configure([("own".into(), own), ("none".into(), i32::MAX)].into());
        let first = usage_reader.read();
        assert_eq!(first.keys().collect::<Vec<_>>(), ["own"]);
        let result = between(&first, &usage_reader.read());
        assert!(result["own"].resident_bytes > 0);
    }
}
