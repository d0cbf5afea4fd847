//! Where the figures of one process come from: the kernel, or a test that makes them up.

use std::collections::BTreeMap;

use crate::usage::Usage;

/// Figures that could not be had, by name, and why.
pub type Reasons = BTreeMap<&'static str, String>;

/// What is known of one process at one sample.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessSample {
    /// The process that is its parent.
    pub parent: i32,
    /// It has ended, and its parent has not asked how.
    pub has_ended: bool,
    /// What it has used itself.
    pub used: Usage,
    /// What its descendants used that have ended and for whose end was waited: times rounded down,
    /// and never more than they used; no switches, which the kernel does not add up.
    pub reaped: Usage,
    /// Resident memory.
    pub resident_bytes: u64,
    /// Resident memory, of which what is shared counts in parts: as it was last read.
    pub proportional_bytes: u64,
    /// The most that was ever resident.
    pub peak_resident_bytes: u64,
    /// Threads that have not ended.
    pub threads: u64,
    /// Open files.
    pub files: u64,
    /// The children of all its threads.
    pub children: Vec<i32>,
    /// Which of these are not known.
    pub missing: Reasons,
}

/// Why nothing is known of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// There is none, or it is no more.
    Gone,
    /// There is one, and why it cannot be read.
    Unreadable(String),
}

/// Who can be asked about processes.
pub trait Source {
    /// By which a process is known again, and distinguished from a later one with the same identifier.
    type Process;

    /// Finds the process that has this identifier at this instant.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read.
    fn find(&mut self, pid: i32) -> Result<Self::Process, Missing>;

    /// Samples a process that was found.
    ///
    /// # Errors
    ///
    /// When it is gone, or cannot be read.
    fn sample(&mut self, process: &mut Self::Process) -> Result<ProcessSample, Missing>;
}
