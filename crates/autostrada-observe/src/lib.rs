//! Samples the processes under test and the machine that they run on, through the kernel.
#![forbid(unsafe_code)]

mod allowance;
mod cores;
mod host;
mod kernel;
mod process;
mod socket;
mod source;
mod stat;
mod tree;
mod usage;

pub use cores::Core;
pub use host::{Host, HostMetrics};
pub use kernel::Kernel;
pub use process::{
    ObserveError, Reading, has_running_process, read_process_tree, read_thread_times,
};
pub use socket::{
    Group, SAMPLED_MAX, SocketCounters, SocketMetrics, Sockets, SocketsSample, TcpInfo,
};
pub use source::{Missing, ProcessSample, Reasons, Source};
pub use tree::{Metrics, Tree, TreeSample};
pub use usage::Usage;
