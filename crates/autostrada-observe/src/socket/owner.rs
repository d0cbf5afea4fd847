//! The sockets of a process, found by the links in `/proc/PID/fd` and in the same folder of threads
//! that have their own descriptors (`CLONE_FILES` of `unshare(2)`).
//!
//! Listing a folder and reading a link take some microseconds per file. If there are many files,
//! some descriptor numbers are examined without listing the folder.

use std::collections::HashSet;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::errno::Errno;

use super::subset::hash;

/// The network namespace of a process, by its inode (`namespaces(7)`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Network(u64);

/// A descriptor table of a process, or of a thread that has its own.
#[derive(Debug)]
pub struct Table {
    /// The folder in `/proc` of the process or thread.
    task: PathBuf,
    /// Number of open descriptors; 0 on kernels before 6.2, which do not report it.
    pub files: u64,
}

/// The sockets found in descriptor tables.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// Inodes of all sockets among the examined files.
    pub inodes: HashSet<u32>,
    /// Number of examined files.
    pub examined: u64,
}

/// Returns the descriptor tables of a process, and its network namespace.
///
/// A process that has ended has neither.
pub fn tables(pid: i32) -> Result<(Vec<Table>, Option<Network>), String> {
    let read = || -> io::Result<_> { Ok((tables_of_tasks(pid)?, Some(Network::of(pid)?))) };
    match read() {
        Err(error) if is_gone(&error) => Ok((Vec::new(), None)),
        read => read.map_err(|error| format!("/proc/{pid}/fd: {error}")),
    }
}

/// Returns the table of the process, and of each thread with a different number of open files.
///
/// Most threads share the table of their process; reading it for each would be expensive.
fn tables_of_tasks(pid: i32) -> io::Result<Vec<Table>> {
    let process = Table::of(format!("/proc/{pid}").into())?;
    let threads = std::fs::read_dir(format!("/proc/{pid}/task"))?;
    let others: Vec<Table> = threads
        .filter_map(|thread| Table::of(thread.ok()?.path()).ok())
        .filter(|table| table.files != process.files)
        .collect();
    Ok(std::iter::once(process).chain(others).collect())
}

impl Table {
    fn of(task: PathBuf) -> io::Result<Self> {
        let files = std::fs::metadata(task.join("fd"))?.size();
        Ok(Self { task, files })
    }

    /// Examines one in `every` files of the table; none if the process or thread has ended.
    pub fn read(&self, every: u64, links: &mut Links) -> Result<(), String> {
        let folder = self.task.join("fd");
        let read = if every > 1 {
            self.slots().map(|slots| {
                for number in (0..slots).filter(|number| is_sampled(*number, every)) {
                    links.add(&folder.join(number.to_string()));
                }
            })
        } else {
            add_all(&folder, links)
        };
        match read {
            Err(error) if is_gone(&error) => Ok(()),
            read => read.map_err(|error| format!("{}: {error}", folder.display())),
        }
    }

    /// Returns the size of the table: all descriptor numbers are less.
    fn slots(&self) -> io::Result<u64> {
        let status = std::fs::read(self.task.join("status"))?;
        let status = String::from_utf8_lossy(&status);
        let found = status.lines().find_map(|line| line.strip_prefix("FDSize:"));
        found
            .and_then(|number| number.trim().parse().ok())
            .ok_or_else(|| io::Error::other("status has no FDSize"))
    }
}

fn add_all(folder: &Path, links: &mut Links) -> io::Result<()> {
    for file in std::fs::read_dir(folder)? {
        links.add(&file?.path());
    }
    Ok(())
}

impl Links {
    /// Examines a file; skips it if it was closed in the meantime.
    fn add(&mut self, file: &Path) {
        let Ok(target) = std::fs::read_link(file) else {
            return;
        };
        self.examined += 1;
        self.inodes.extend(target.to_str().and_then(socket_inode));
    }
}

/// Returns whether a descriptor number is among the examined ones, about one in `every`.
///
/// They are the same each time, but not equidistant: a program may open sockets and other files in
/// turn.
fn is_sampled(number: u64, every: u64) -> bool {
    (hash(number) >> 32).is_multiple_of(every)
}

impl Network {
    /// Returns the network namespace of a process.
    pub fn of(pid: i32) -> io::Result<Self> {
        Ok(Self(
            std::fs::metadata(format!("/proc/{pid}/ns/net"))?.ino(),
        ))
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
    use std::net::{TcpListener, UdpSocket};
    use std::os::fd::AsRawFd;
    use std::process::{Command, Stdio};

    fn read(pid: i32, every: u64) -> Links {
        let (tables, network) = tables(pid).unwrap();
        let own = Network::of(std::process::id().cast_signed()).unwrap();
        assert_eq!(network.unwrap_or(own), own);
        let mut links = Links::default();
        for table in tables {
            table.read(every, &mut links).unwrap();
        }
        links
    }

    #[test]
    fn a_part_of_many_files_is_examined_and_always_the_same() {
        let sockets: Vec<UdpSocket> = (0..600)
            .map(|_| UdpSocket::bind("127.0.0.1:0").unwrap())
            .collect();
        let pid = std::process::id().cast_signed();
        let number = |socket: &&UdpSocket| u64::try_from(socket.as_raw_fd()).unwrap();
        let expected = sockets.iter().filter(|each| is_sampled(number(each), 3));
        let inodes: HashSet<u32> = expected
            .map(|socket| {
                let link = std::fs::read_link(format!("/proc/self/fd/{}", socket.as_raw_fd()));
                socket_inode(link.unwrap().to_str().unwrap()).unwrap()
            })
            .collect();
        assert!((100..300).contains(&inodes.len()), "{}", inodes.len());
        let links = read(pid, 3);
        assert!(links.examined >= inodes.len() as u64);
        assert!(inodes.is_subset(&links.inodes));
    }

    #[test]
    fn a_socket_of_this_process_is_found() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let path = format!("/proc/self/fd/{}", listener.as_raw_fd());
        let link = std::fs::read_link(path).unwrap();
        let inode = socket_inode(link.to_str().unwrap()).unwrap();
        let links = read(std::process::id().cast_signed(), 1);
        assert!(links.inodes.contains(&inode), "{inode}: {links:?}");
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
        let links = read(script.id().cast_signed(), 1);
        script.kill().unwrap();
        script.wait().unwrap();
        assert_eq!(links.inodes, HashSet::from([line.trim().parse().unwrap()]));
    }

    /// A program with a socket in one thread only, which prints its inode.
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
    fn a_process_that_has_ended_has_no_sockets() {
        assert_eq!(read(i32::MAX, 1), Links::default());
        let task = PathBuf::from(format!("/proc/{}", i32::MAX));
        let table = Table { task, files: 1 };
        let mut links = Links::default();
        for every in [1, 2] {
            assert_eq!(table.read(every, &mut links), Ok(()));
        }
        assert_eq!(links, Links::default());
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
