//! Parsers of the files of `/proc/PID`: `proc_pid_stat(5)`, `proc_pid_status(5)` and others.

use crate::usage::Usage;

/// Returns the length of one tick of `/proc/stat` and `/proc/PID/stat`, in nanoseconds.
pub fn tick_ns() -> u64 {
    1_000_000_000 / procfs::ticks_per_second().max(1)
}

/// The used fields of `/proc/PID/stat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessStat {
    /// The state, as `ps` shows it: `R`, `S`, `Z`, `X`, …
    pub state: char,
    /// PID of the parent.
    pub parent: i32,
    /// Counters of the process itself; those that are in other files are 0.
    pub used: Usage,
    /// Counters of its descendants that have ended and were waited for, likewise.
    pub reaped: Usage,
    /// Number of threads that have not ended.
    pub threads: u64,
}

impl ProcessStat {
    /// Parses the line, whose times are in ticks of this length; `None` if it is malformed.
    pub fn parse(line: &str, tick_ns: u64) -> Option<Self> {
        // The name is in parentheses, and may itself contain spaces and parentheses.
        let (_, after_name) = line.rsplit_once(')')?;
        let mut fields = after_name.split_ascii_whitespace();
        let state = fields.next()?.chars().next()?;
        let parent = fields.next()?.parse().ok()?;
        let mut numbers = fields.skip(5).map(|field| field.parse::<u64>().ok());
        let mut next = || numbers.next()?;
        let (minor, reaped_minor) = (next()?, next()?);
        let (major, reaped_major) = (next()?, next()?);
        let (user, system) = (next()?, next()?);
        let (reaped_user, reaped_system) = (next()?, next()?);
        let threads = numbers.nth(2)??;
        let usage = |faults_minor, faults_major, user: u64, system: u64| Usage {
            user_ns: user.saturating_mul(tick_ns),
            system_ns: system.saturating_mul(tick_ns),
            faults_minor,
            faults_major,
            ..Usage::default()
        };
        Some(Self {
            state,
            parent,
            used: usage(minor, major, user, system),
            reaped: usage(reaped_minor, reaped_major, reaped_user, reaped_system),
            threads,
        })
    }

    /// Returns whether the process has ended.
    ///
    /// The state is `Z` also if only the first thread has ended.
    pub fn has_ended(self) -> bool {
        self.state == 'Z' && self.threads <= 1
    }
}

/// Returns the number of resident pages, from `/proc/PID/statm`.
pub fn resident_pages(line: &str) -> Option<u64> {
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Returns the peak resident memory in bytes, from `/proc/PID/status`; 0 for a process without
/// memory.
pub fn peak_resident_bytes(text: &str) -> Option<u64> {
    match text.lines().find_map(|line| line.strip_prefix("VmHWM:")) {
        Some(rest) => bytes(rest),
        None => Some(0),
    }
}

/// Returns the proportional memory (PSS) in bytes, from `/proc/PID/smaps_rollup`.
pub fn proportional_bytes(text: &str) -> Option<u64> {
    bytes(text.lines().find_map(|line| line.strip_prefix("Pss:"))?)
}

fn bytes(text: &str) -> Option<u64> {
    let kib: u64 = text.trim().strip_suffix(" kB")?.parse().ok()?;
    kib.checked_mul(1024)
}

/// Returns the context switches of a thread, from its `status`.
pub fn switches(text: &str) -> Option<Usage> {
    let mut lines = text.lines();
    let mut find = |key: &str| -> Option<u64> {
        let rest = lines.find_map(|line| line.strip_prefix(key))?;
        rest.trim().parse().ok()
    };
    Some(Usage {
        switches_voluntary: find("voluntary_ctxt_switches:")?,
        switches_forced: find("nonvoluntary_ctxt_switches:")?,
        ..Usage::default()
    })
}

/// Returns the PIDs in `/proc/PID/task/TID/children`.
pub fn children(text: &str) -> impl Iterator<Item = i32> {
    text.split_ascii_whitespace()
        .filter_map(|word| word.parse().ok())
}

#[cfg(test)]
#[path = "tests/stat.rs"]
mod tests;
