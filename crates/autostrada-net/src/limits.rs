//! The limits of the number of connections: descriptors, ports, cores and memory.

use std::io;

use nix::errno::Errno;
use nix::sched::{CloneFlags, CpuSet, sched_getaffinity, sched_setaffinity, unshare};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::unistd::Pid;

/// Number of descriptors that a thread needs in addition to those of its connections: its poller,
/// its timer, the standard streams, and other files of the process.
pub const RESERVED_DESCRIPTORS: u64 = 64;

/// Raises the soft limit of open files to the hard limit, and returns it.
pub fn raise_descriptor_limit() -> io::Result<u64> {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    setrlimit(Resource::RLIMIT_NOFILE, hard, hard)?;
    Ok(hard)
}

/// Returns whether an error means that no descriptor is left, for the thread or the whole machine.
pub fn is_out_of_descriptors(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE))
}

/// Gives this thread its own descriptor table, to which the limit of open files then applies alone.
///
/// Files that are open remain open in both tables.
pub fn copy_descriptor_table() -> io::Result<()> {
    Ok(unshare(CloneFlags::CLONE_FILES)?)
}

/// Gives this thread its own descriptor table in which only the standard streams are open.
///
/// The kernel finds a file in it without atomic operations, and the limit of open files applies to
/// it alone. Files of other threads stay open only in theirs: nothing that was opened before may be
/// used or dropped in this thread.
/// Returns an error if `close_range(2)` fails, as in containers that forbid it.
pub fn create_descriptor_table() -> io::Result<()> {
    // SAFETY: the table is copied first, so that no file of another thread is closed.
    let status = unsafe {
        libc::syscall(
            libc::SYS_close_range,
            libc::STDERR_FILENO + 1,
            libc::c_uint::MAX,
            libc::CLOSE_RANGE_UNSHARE,
        )
    };
    Ok(Errno::result(status).map(drop)?)
}

/// Returns the number of local ports that one source address has for connections to one address.
pub fn ports_per_source() -> io::Result<u64> {
    let text = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range")?;
    let bounds: Vec<u64> = text
        .split_whitespace()
        .filter_map(|field| field.parse().ok())
        .collect();
    match bounds[..] {
        [first, last] if first <= last => Ok(last - first + 1),
        _ => Err(io::Error::other(format!("no range of ports: {text:?}"))),
    }
}

/// Lowers this thread's priority to `SCHED_IDLE` (`sched(7)`), so that any other thread on the same
/// core preempts it when it wakes.
pub fn use_idle_priority() -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: the pointer refers to a live local value, which the call only reads; 0 means this
    // thread.
    let status = unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const parameters) };
    Ok(Errno::result(status).map(drop)?)
}

/// Makes this thread run on one core only.
pub fn run_on_core(core: usize) -> io::Result<()> {
    let mut cpus = CpuSet::new();
    cpus.set(core)?;
    Ok(sched_setaffinity(Pid::from_raw(0), &cpus)?)
}

/// Returns the number of cores on which the threads of this process may run; 1 if it is not known.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Returns whether a cgroup limits the CPU time of this process to less than that of its cores.
///
/// A limit of less than one core is not found if the process may only run on one.
pub fn is_cpu_time_limited() -> bool {
    let Ok(allowed) = sched_getaffinity(Pid::from_raw(0)) else {
        return false;
    };
    let is_allowed = |&cpu: &usize| allowed.is_set(cpu).unwrap_or(false);
    cores() < (0..CpuSet::count()).filter(is_allowed).count()
}

/// Returns the kernel's estimate of the memory that is available without swapping, in bytes.
pub fn available_memory_bytes() -> io::Result<u64> {
    let text = std::fs::read_to_string("/proc/meminfo")?;
    let available_kib = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))
        .and_then(|rest| rest.trim().strip_suffix(" kB"))
        .and_then(|number| number.parse::<u64>().ok());
    available_kib
        .map(|kib| kib * 1024)
        .ok_or_else(|| io::Error::other("/proc/meminfo has no MemAvailable"))
}

#[cfg(test)]
#[path = "tests/limits.rs"]
mod tests;
