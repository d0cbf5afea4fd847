//! The source of process metrics: the kernel, or a test.

use std::collections::BTreeMap;

use crate::usage::Usage;

/// Missing metrics, by name, with the reason.
pub type Reasons = BTreeMap<&'static str, String>;

/// One sample of one process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessSample {
    /// PID of the parent.
    pub parent: i32,
    /// Whether the process has ended and its parent has not waited for it.
    pub has_ended: bool,
    /// The process's own usage.
    pub used: Usage,
    /// The usage of its descendants that have ended and were waited for. Times are rounded down;
    /// context switches are 0, because the kernel does not add them up.
    pub reaped: Usage,
    /// Resident memory, in bytes (RSS).
    pub resident_bytes: u64,
    /// Resident memory with shared memory divided among its users, in bytes (PSS), as last read.
    pub proportional_bytes: u64,
    /// Peak resident memory, in bytes.
    pub peak_resident_bytes: u64,
    /// Number of threads that have not ended.
    pub threads: u64,
    /// Number of open files.
    pub files: u64,
    /// PIDs of the children of all threads.
    pub children: Vec<i32>,
    /// Metrics that could not be read; they are 0 here.
    pub missing: Reasons,
}

/// The reason why a process cannot be sampled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// The process has ended, or never existed.
    Gone,
    /// The process exists but cannot be read, for this reason.
    Unreadable(String),
}

/// A source of process metrics.
pub trait Source {
    /// A handle of a process, which distinguishes it from a later one with the same PID.
    type Process;

    /// Finds the process that has this PID at this instant.
    fn find(&mut self, pid: i32) -> Result<Self::Process, Missing>;

    /// Samples a process.
    fn sample(&mut self, process: &mut Self::Process) -> Result<ProcessSample, Missing>;
}
