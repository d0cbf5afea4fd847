//! The sub-commands, one file each.

pub mod load;
pub mod serve;
