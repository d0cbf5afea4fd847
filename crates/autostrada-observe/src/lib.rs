//! What the kernel says of the processes under test.
#![forbid(unsafe_code)]

mod process;

pub use process::{ObserveError, Reading, read_process_tree};
