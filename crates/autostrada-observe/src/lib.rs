//! What the kernel says of the processes under test, and of the machine that they run on.
#![forbid(unsafe_code)]

mod kernel;
mod machine;
mod process;
mod source;
mod stat;
mod tree;

pub use kernel::Kernel;
pub use machine::{CpuTimes, CpuTimesError};
pub use process::{ObserveError, Reading, read_process_tree};
pub use source::{Missing, Seen, Source};
pub use tree::{Sample, Tree};
