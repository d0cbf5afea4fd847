//! The threads of one process: their children, and how often they gave up their core.

use std::collections::BTreeMap;
use std::fs::File;

use super::file::{missing, read_list};
use crate::source::Missing;
use crate::stat::{self, Switches};

/// What the threads of one process have counted, those that have ended included.
#[derive(Debug, Default)]
pub struct Threads {
    living: BTreeMap<i32, Switches>,
    ended: Switches,
}

/// What one sample of all threads finds.
#[derive(Debug, Default)]
pub struct Found {
    /// The children of all of them.
    pub children: Vec<i32>,
    /// What each has counted.
    pub switches: BTreeMap<i32, Switches>,
}

/// Asks every thread of a process.
///
/// # Errors
///
/// When the process is gone, or cannot be read.
pub fn find(pid: i32) -> Result<Found, Missing> {
    let mut found = Found::default();
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

/// A file of a thread; `None` of one that has ended, and left its children to another.
fn read_thread(path: &str) -> Result<Option<String>, Missing> {
    let file = File::open(path).map_err(|error| missing(&error));
    match file.and_then(|file| read_list(&file)) {
        Ok(text) => Ok(Some(text)),
        Err(Missing::Gone) => Ok(None),
        Err(why) => Err(why),
    }
}

impl Threads {
    /// Takes what a sample has found; who is not in it has ended, with its last counters.
    pub fn update(&mut self, found: BTreeMap<i32, Switches>) {
        for (thread, before) in &self.living {
            let is_another =
                |now: &Switches| now.voluntary < before.voluntary || now.forced < before.forced;
            if found.get(thread).is_none_or(is_another) {
                self.ended = plus(self.ended, *before);
            }
        }
        self.living = found;
    }

    /// Of all threads that there have been.
    pub fn switches(&self) -> Switches {
        self.living.values().copied().fold(self.ended, plus)
    }
}

fn plus(first: Switches, second: Switches) -> Switches {
    Switches {
        voluntary: first.voluntary.saturating_add(second.voluntary),
        forced: first.forced.saturating_add(second.forced),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(threads: &[(i32, u64)]) -> BTreeMap<i32, Switches> {
        let switches = |&(thread, voluntary)| {
            let forced = 2 * voluntary;
            (thread, Switches { voluntary, forced })
        };
        threads.iter().map(switches).collect()
    }

    #[test]
    fn a_thread_that_ended_counts_as_it_was_last_seen() {
        let mut threads = Threads::default();
        threads.update(found(&[(1, 10), (2, 5)]));
        threads.update(found(&[(1, 12)]));
        threads.update(found(&[(1, 12), (3, 1)]));
        let switches = threads.switches();
        assert_eq!((switches.voluntary, switches.forced), (18, 36));
    }

    #[test]
    fn another_thread_with_the_identifier_of_one_that_ended_is_another() {
        let mut threads = Threads::default();
        threads.update(found(&[(1, 10), (2, 5)]));
        threads.update(found(&[(1, 10), (2, 1)]));
        assert_eq!(threads.switches().voluntary, 16);
    }

    #[test]
    fn this_thread_is_among_those_of_this_process() {
        let pid = std::process::id().cast_signed();
        let found = find(pid).unwrap();
        assert!(found.switches.contains_key(&pid), "{found:?}");
        assert_eq!(find(i32::MAX).unwrap_err(), Missing::Gone);
    }
}
