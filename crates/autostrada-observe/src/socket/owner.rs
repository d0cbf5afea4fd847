//! Which sockets a process has, by the links in `/proc/PID/fd`, and in those of threads that have
//! descriptors of their own (`CLONE_FILES` of `unshare(2)`).

use std::collections::HashSet;
use std::io;
use std::os::unix::fs::MetadataExt;

use nix::errno::Errno;

/// Whose network a process sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// The one that this process sees.
    Ours,
    /// Another one, of whose sockets the kernel does not tell us.
    Another,
}

/// Adds the inodes of all sockets that a process has open; none of one that is gone.
///
/// # Errors
///
/// When its files may not be looked at: why, in words.
pub fn add_inodes(pid: i32, inodes: &mut HashSet<u32>) -> Result<Network, String> {
    let folder = format!("/proc/{pid}/fd");
    let mut read = || {
        read_inodes(&folder, inodes)?;
        for own in tables_of_threads(pid, &folder)? {
            match read_inodes(&own, inodes) {
                Err(error) if is_gone(&error) => {}
                read => read?,
            }
        }
        network(pid)
    };
    match read() {
        Err(error) if is_gone(&error) => Ok(Network::Ours),
        read => read.map_err(|error| format!("{folder}: {error}")),
    }
}

/// The descriptors of threads that have another number of them than the process: its own are most
/// often those of all threads, and reading them for each thread would be dear.
fn tables_of_threads(pid: i32, folder: &str) -> io::Result<Vec<String>> {
    let count = std::fs::metadata(folder)?.size();
    let mut tables = Vec::new();
    for thread in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        let table = thread?.path().join("fd");
        let is_another = std::fs::metadata(&table).is_ok_and(|table| table.size() != count);
        if let (true, Some(table)) = (is_another, table.to_str()) {
            tables.push(table.to_owned());
        }
    }
    Ok(tables)
}

fn read_inodes(folder: &str, inodes: &mut HashSet<u32>) -> io::Result<()> {
    for file in std::fs::read_dir(folder)? {
        // A file that was closed in the meantime has no link any more.
        if let Ok(target) = std::fs::read_link(file?.path())
            && let Some(inode) = target.to_str().and_then(socket_inode)
        {
            inodes.insert(inode);
        }
    }
    Ok(())
}

fn network(pid: i32) -> io::Result<Network> {
    let number = |process: &str| -> io::Result<u64> {
        Ok(std::fs::metadata(format!("/proc/{process}/ns/net"))?.ino())
    };
    if number(&pid.to_string())? == number("self")? {
        Ok(Network::Ours)
    } else {
        Ok(Network::Another)
    }
}

fn socket_inode(target: &str) -> Option<u32> {
    let inode = target.strip_prefix("socket:[")?.strip_suffix(']')?;
    inode.parse().ok()
}

fn is_gone(error: &io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw);
    matches!(errno, Some(Errno::ENOENT | Errno::ESRCH))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;
    use std::os::fd::AsRawFd;
    use std::process::{Command, Stdio};

    #[test]
    fn a_socket_of_this_process_is_found() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let path = format!("/proc/self/fd/{}", listener.as_raw_fd());
        let link = std::fs::read_link(path).unwrap();
        let inode = socket_inode(link.to_str().unwrap()).unwrap();
        let mut inodes = HashSet::new();
        let pid = std::process::id().cast_signed();
        assert_eq!(add_inodes(pid, &mut inodes), Ok(Network::Ours));
        assert!(inodes.contains(&inode), "{inode}: {inodes:?}");
    }

    #[test]
    fn a_socket_of_a_thread_with_descriptors_of_its_own_is_found() {
        let mut script = Command::new("python3")
            .args(["-c", THREAD])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(script.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let mut inodes = HashSet::new();
        let added = add_inodes(script.id().cast_signed(), &mut inodes);
        script.kill().unwrap();
        script.wait().unwrap();
        assert_eq!(added, Ok(Network::Ours));
        assert_eq!(inodes, HashSet::from([line.trim().parse().unwrap()]));
    }

    /// Has a socket in a thread alone, and tells its inode.
    const THREAD: &str = "
import ctypes, os, socket, sys, threading
def own():
    assert ctypes.CDLL(None).unshare(0x400) == 0
    connection = socket.socket()
    print(os.fstat(connection.fileno()).st_ino, flush=True)
    threading.Event().wait()
threading.Thread(target=own, daemon=True).start()
sys.stdin.readline()
";

    #[test]
    fn who_is_gone_has_none() {
        let mut inodes = HashSet::new();
        assert_eq!(add_inodes(i32::MAX, &mut inodes), Ok(Network::Ours));
        assert!(inodes.is_empty());
    }

    #[test]
    fn other_files_are_no_sockets() {
        for target in [
            "/dev/null",
            "pipe:[5]",
            "socket:[5",
            "socket:[x]",
            "socket:[-1]",
        ] {
            assert_eq!(socket_inode(target), None, "{target}");
        }
        assert_eq!(socket_inode("socket:[4242]"), Some(4242));
    }
}
