//! The sub-commands, one file each.

pub mod load;
pub mod observe;
pub mod probe;
pub mod schema;
pub mod serve;

/// The exit status after an interruption, as a shell reports it for Ctrl-C (128 + SIGINT).
const INTERRUPTED: u8 = 130;
