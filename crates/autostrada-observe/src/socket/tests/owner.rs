//! Tests of `owner.rs`.

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
