//! Tests of `process.rs`.

use super::*;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

#[test]
fn reads_this_process_and_its_threads() {
    let pid = std::process::id().cast_signed();
    let thread = nix::unistd::gettid().as_raw();
    let first = read_process_tree(pid).unwrap();
    let first_ns = read_thread_times(pid)[&thread];
    let work: u64 = std::hint::black_box((0..5_000_000_u64).map(|n| n ^ (n << 1)).sum());
    let second = read_process_tree(pid).unwrap();
    assert_ne!(work, 0);
    assert!(read_thread_times(pid)[&thread] > first_ns);
    assert!(second.cpu_ns > first.cpu_ns);
    assert!(second.peak_resident_bytes >= second.resident_bytes.min(first.resident_bytes));
    assert!(second.resident_bytes > 0);
}

#[test]
fn adds_the_descendants() {
    let mut shell = Command::new("sh")
        .args(["-c", "sh -c 'echo ready; read line'; true"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let stdout = shell.stdout.as_mut().unwrap();
    stdout.read_exact(&mut [0; 6]).unwrap();
    let pid = shell.id().cast_signed();
    let alone = read_process(pid).unwrap();
    let tree = read_process_tree(pid).unwrap();
    shell.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    drop(shell.stdin.take());
    shell.wait().unwrap();
    assert!(tree.resident_bytes > alone.resident_bytes);
    assert!(tree.cpu_ns > alone.cpu_ns);
}

#[test]
fn a_process_that_is_gone_is_an_error_that_names_it() {
    let mut child = Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    let pid = child.id().cast_signed();
    let error = read_process_tree(pid).unwrap_err();
    assert!(error.to_string().contains(&pid.to_string()), "{error}");
}
