//! Which sockets a process has, by the links in `/proc/PID/fd`.

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
    match read_inodes(&folder, inodes).and_then(|()| network(pid)) {
        Err(error) if is_gone(&error) => Ok(Network::Ours),
        read => read.map_err(|error| format!("{folder}: {error}")),
    }
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
    use std::net::TcpListener;
    use std::os::fd::AsRawFd;

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
