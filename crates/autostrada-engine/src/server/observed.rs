//! The processes under test, read at the two ends of a measurement.

use std::collections::BTreeMap;

use autostrada_observe::{Reading, read_process_tree};

use crate::line::ProcessResult;

/// Which processes to read, once that is known.
#[derive(Debug)]
pub struct Observed {
    /// `None` while a promised announcement has not come.
    processes: Option<BTreeMap<String, i32>>,
}

impl Observed {
    /// Observes nothing, or (`hold`) is to be told later what.
    pub fn new(hold: bool) -> Self {
        Self {
            processes: (!hold).then(BTreeMap::new),
        }
    }

    /// Says which processes to read from here on, by name.
    pub fn announce(&mut self, processes: BTreeMap<String, i32>) {
        self.processes = Some(processes);
    }

    /// Whether it is known what to observe.
    pub fn is_announced(&self) -> bool {
        self.processes.is_some()
    }

    /// Reads each process; one that is gone is left out and logged.
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

/// What each process that was read twice has used in between.
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
        let mut observed = Observed::new(true);
        assert!(!observed.is_announced());
        assert!(observed.read().is_empty());
        let own = std::process::id().cast_signed();
        observed.announce([("own".into(), own), ("none".into(), i32::MAX)].into());
        let first = observed.read();
        assert_eq!(first.keys().collect::<Vec<_>>(), ["own"]);
        let result = between(&first, &observed.read());
        assert!(result["own"].resident_bytes > 0);
    }
}
