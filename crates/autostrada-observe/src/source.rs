//! Where the figures of one process come from: the kernel, or a test that makes them up.

/// What is known of one process at one look.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// The process that is its parent.
    pub parent: i32,
    /// It has ended, and its parent has not asked how.
    pub has_ended: bool,
    /// Its CPU time, user and system, ended threads included.
    pub cpu_ns: u64,
    /// CPU time of its descendants that have ended and for whose end was waited: rounded down, and
    /// never more than they used.
    pub reaped_ns: u64,
    /// Resident memory.
    pub resident_bytes: u64,
    /// The most that was ever resident.
    pub peak_resident_bytes: u64,
    /// The children of all its threads.
    pub children: Vec<i32>,
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
    /// By which a process is known again, and told from a later one with the same identifier.
    type Process;

    /// Finds the process that has this identifier at this instant.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read.
    fn find(&self, pid: i32) -> Result<Self::Process, Missing>;

    /// Looks at a process that was found.
    ///
    /// # Errors
    ///
    /// When it is gone, or cannot be read.
    fn look(&self, process: &mut Self::Process) -> Result<Seen, Missing>;
}
