//! Tests of `kernel/mod.rs`.

use super::*;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

fn own() -> i32 {
    std::process::id().cast_signed()
}

/// Starts a process that echoes its input, and waits until it runs.
fn cat() -> Child {
    let mut child = Command::new("cat")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.as_mut().unwrap().write_all(b"x").unwrap();
    let stdout = child.stdout.as_mut().unwrap();
    stdout.read_exact(&mut [0]).unwrap();
    child
}

#[test]
fn this_process_is_sampled_with_the_child_of_another_thread() {
    let (sender, receiver) = std::sync::mpsc::channel::<()>();
    let (found, pids) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let mut child = cat();
        found.send(child.id().cast_signed()).unwrap();
        let _ = receiver.recv();
        child.kill().unwrap();
        child.wait().unwrap();
    });
    let child = pids.recv().unwrap();
    let mut kernel = Kernel::new();
    let mut sample = |pid| {
        let mut process = kernel.find(pid).unwrap();
        kernel.sample(&mut process).unwrap()
    };
    let sampled = sample(own());
    assert!(sampled.children.contains(&child), "{child}: {sampled:?}");
    assert!(sampled.used.cpu_ns > 0 && sampled.resident_bytes > 0);
    let of_child = sample(child);
    assert_eq!((of_child.parent, of_child.children), (own(), vec![]));
    drop(sender);
    thread.join().unwrap();
}

#[test]
fn threads_that_were_too_expensive_are_read_later() {
    let mut script = Command::new("python3")
        .args(["-c", THREADS])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = script.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 8]).unwrap();
    let mut kernel = Kernel::new();
    let mut process = kernel.find(script.id().cast_signed()).unwrap();
    let first = kernel.sample(&mut process).unwrap();
    assert!(
        first.children.is_empty() && first.threads == 21,
        "{first:?}"
    );
    kernel.threads = Allowance::new(0);
    while kernel.threads.has_balance() {
        kernel.threads.charge(|| threads::sample(own())).unwrap();
    }
    script.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    stdout.read_exact(&mut [0; 5]).unwrap();
    // A process was started that has not been found.
    assert!(kernel.sample(&mut process).unwrap().children.is_empty());
    kernel.threads = Allowance::new(THREADS_SHARE);
    let last = kernel.sample(&mut process).unwrap();
    assert_eq!(last.children.len(), 1);
    drop(script.stdin.take());
    script.wait().unwrap();
}

/// A program with many threads, one of which starts a child on request.
const THREADS: &str = "
import os, sys, threading
start = threading.Event()
def have_child():
    start.wait()
    child = os.fork()
    if child == 0:
        sys.stdin.read()
        os._exit(0)
    print('born', flush=True)
    os.waitpid(child, 0)
threads = [threading.Thread(target=threading.Event().wait, daemon=True) for _ in range(19)]
threads.append(threading.Thread(target=have_child))
for thread in threads:
    thread.start()
print('waiting', flush=True)
sys.stdin.readline()
start.set()
";

#[test]
fn a_process_that_has_ended_is_gone_although_its_files_are_open() {
    let mut child = cat();
    let mut kernel = Kernel::new();
    let pid = child.id().cast_signed();
    let mut process = kernel.find(pid).unwrap();
    let first = kernel.sample(&mut process).unwrap();
    assert!(!first.has_ended);
    assert!(first.peak_resident_bytes >= first.resident_bytes);
    // The process is idle, and is not read in full.
    let second = kernel.sample(&mut process).unwrap();
    assert!(second.used.cpu_ns >= first.used.cpu_ns);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(kernel.sample(&mut process), Err(Missing::Gone));
    assert_eq!(kernel.find(pid).unwrap_err(), Missing::Gone);
}
