//! The sub-commands, one file each.

pub mod load;
pub mod observe;
pub mod probe;
pub mod schema;
pub mod serve;

/// The status of what was interrupted: as a shell reports a process that Ctrl-C has ended.
const INTERRUPTED: u8 = 130;
