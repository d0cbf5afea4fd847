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
#[path = "tests/owner.rs"]
mod tests;
