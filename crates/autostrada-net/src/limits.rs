//! How many connections there may be: descriptors, ports, memory.

use std::io;

use nix::sched::{CloneFlags, unshare};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Descriptors that a thread needs beside those of its connections: its poller, its timer, the
/// standard streams, and what the process has open.
pub const RESERVED_DESCRIPTORS: u64 = 64;

/// Raises the limit of open files as far as it goes, and returns it.
///
/// # Errors
///
/// When the operating system refuses.
pub fn raise_descriptor_limit() -> io::Result<u64> {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    setrlimit(Resource::RLIMIT_NOFILE, hard, hard)?;
    Ok(hard)
}

/// Whether an error says that no descriptor is left, for the thread or for the whole machine.
#[must_use]
pub fn is_out_of_descriptors(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE))
}

/// Gives this thread a table of descriptors of its own: the limit then holds for it alone.
///
/// What is open is open in both tables.
///
/// # Errors
///
/// When the operating system refuses (`unshare(2)`).
pub fn own_descriptor_table() -> io::Result<()> {
    Ok(unshare(CloneFlags::CLONE_FILES)?)
}

/// How many ports one source address has for connections to one address.
///
/// # Errors
///
/// When `/proc` does not tell.
pub fn ports_per_source() -> io::Result<u64> {
    let text = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range")?;
    let bounds: Vec<u64> = text
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    match bounds[..] {
        [first, last] if first <= last => Ok(last - first + 1),
        _ => Err(io::Error::other(format!("no range of ports: {text:?}"))),
    }
}

/// Lets all other threads go before this one where they share a core, at once when they wake.
///
/// # Errors
///
/// When the operating system refuses (`sched(7)`, `SCHED_IDLE`).
pub fn give_way() -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: the pointer is to a live local value, which the call only reads; 0 is this thread.
    match unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const parameters) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// How many cores the threads of this process may run on.
#[must_use]
pub fn cores() -> usize {
    // Where the operating system does not tell there is one at least.
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// How much memory can be had without swapping, as the kernel estimates it.
///
/// # Errors
///
/// When `/proc` does not tell.
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
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::fd::AsRawFd;

    #[test]
    fn the_limit_is_raised_to_the_hard_one() {
        let limit = raise_descriptor_limit().unwrap();
        assert_eq!(getrlimit(Resource::RLIMIT_NOFILE).unwrap(), (limit, limit));
        assert_eq!(raise_descriptor_limit().unwrap(), limit);
    }

    #[test]
    fn a_thread_with_a_table_of_its_own_opens_files_that_others_do_not_see() {
        let opened = std::thread::spawn(|| {
            own_descriptor_table().unwrap();
            let files: Vec<_> = (0..100).map(|_| File::open("/dev/null").unwrap()).collect();
            let highest = files.iter().map(AsRawFd::as_raw_fd).max().unwrap();
            let link = format!("/proc/{}/fd/{highest}", std::process::id());
            (files.len(), std::path::Path::new(&link).exists())
        });
        assert_eq!(opened.join().unwrap(), (100, false));
    }

    #[test]
    fn a_thread_gives_way_by_itself() {
        std::thread::spawn(give_way).join().unwrap().unwrap();
    }

    #[test]
    fn there_is_memory() {
        assert!(available_memory_bytes().unwrap() > 1 << 20);
    }

    #[test]
    fn there_are_ports() {
        assert!(ports_per_source().unwrap() > 1_000);
    }
}
