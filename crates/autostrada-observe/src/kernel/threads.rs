//! The threads of one process: their children and context switches.

use std::collections::BTreeMap;
use std::fs::File;

use super::file::{missing, read_list};
use crate::source::Missing;
use crate::stat;
use crate::usage::Usage;

/// The context switches of the threads of one process, those that have ended included.
#[derive(Debug, Default)]
pub struct Threads {
    running: BTreeMap<i32, Usage>,
    ended: Usage,
}

/// One sample of all threads of a process.
#[derive(Debug, Default)]
pub struct ThreadsSample {
    /// PIDs of the children of all threads.
    pub children: Vec<i32>,
    /// Context switches of each thread, by its identifier.
    pub switches: BTreeMap<i32, Usage>,
}

/// Reads every thread of a process.
pub fn sample(pid: i32) -> Result<ThreadsSample, Missing> {
    let mut found = ThreadsSample::default();
    let folder = format!("/proc/{pid}/task");
    for thread in std::fs::read_dir(&folder).map_err(|error| missing(&error))? {
        let name = thread.map_err(|error| missing(&error))?.file_name();
        let Some(thread) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        if let Some(text) = read_thread(&format!("{folder}/{thread}/children"))? {
            found.children.extend(stat::children(&text));
        }
        if let Some(text) = read_thread(&format!("{folder}/{thread}/status"))?
            && let Some(switches) = stat::switches(&text)
        {
            found.switches.insert(thread, switches);
        }
    }
    Ok(found)
}

/// Reads a file of a thread; `None` if the thread has ended. Another thread then has its children.
fn read_thread(path: &str) -> Result<Option<String>, Missing> {
    let file = File::open(path).map_err(|error| missing(&error));
    match file.and_then(|file| read_list(&file)) {
        Ok(text) => Ok(Some(text)),
        Err(Missing::Gone) => Ok(None),
        Err(reason) => Err(reason),
    }
}

impl Threads {
    /// Adds a sample; a thread that is not in it has ended and counts with its last sample.
    pub fn update(&mut self, found: BTreeMap<i32, Usage>) {
        for (thread, before) in &self.running {
            let is_another = |now: &Usage| {
                now.switches_voluntary < before.switches_voluntary
                    || now.switches_forced < before.switches_forced
            };
            if found.get(thread).is_none_or(is_another) {
                self.ended = self.ended.plus(*before);
            }
        }
        self.running = found;
    }

    /// Returns the context switches of all threads so far.
    pub fn switches(&self) -> Usage {
        self.running.values().copied().fold(self.ended, Usage::plus)
    }
}

#[cfg(test)]
#[path = "tests/threads.rs"]
mod tests;
