//! Runs a server as several processes that share one port.

use std::ptr;

use libc::{SIG_SETMASK, SIGCHLD, SIGKILL, SIGTERM, c_int, pid_t, sigset_t};

use crate::fail;

/// Calls `serve` in this process or, with several workers, once in each child process. Must be
/// called before threads are started. Workers end with this process, and it ends with any of them.
pub fn run_workers(workers: u64, serve: impl FnOnce()) {
    if workers == 1 {
        return serve();
    }
    // SAFETY: all pointers are to live values, or null where that is allowed. There is only one
    // thread, so a forked process may call any function.
    unsafe {
        let (mut awaited, mut before) = (empty_set(), empty_set());
        libc::sigaddset(&raw mut awaited, SIGTERM);
        libc::sigaddset(&raw mut awaited, SIGCHLD);
        // Blocked signals stay pending, even if they arrive before all workers have started.
        libc::sigprocmask(SIG_SETMASK, &raw const awaited, &raw mut before);
        let parent = libc::getpid();
        let mut children: Vec<pid_t> = Vec::new();
        for _ in 0..workers {
            match libc::fork() {
                -1 => break,
                0 => {
                    end_with(parent);
                    libc::sigprocmask(SIG_SETMASK, &raw const before, ptr::null_mut());
                    serve();
                    fail(1, &"a server has no end of its own");
                }
                child => children.push(child),
            }
        }
        let mut signal: c_int = 0;
        if children.len() as u64 == workers {
            libc::sigwait(&raw const awaited, &raw mut signal);
        }
        for child in children {
            libc::kill(child, SIGKILL);
            libc::waitpid(child, ptr::null_mut(), 0);
        }
        let is_terminated = signal == SIGTERM;
        let reason = if is_terminated {
            "asked to end"
        } else {
            "a worker has ended"
        };
        fail(1, &reason);
    }
}

fn empty_set() -> sigset_t {
    // SAFETY: a set of signals is plain data, for which all zeros are valid.
    unsafe { std::mem::zeroed() }
}

/// Makes the kernel kill this process when its parent ends, which may have happened already.
fn end_with(parent: pid_t) {
    // SAFETY: no pointers are passed.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, SIGKILL);
        if libc::getppid() != parent {
            libc::_exit(1);
        }
    }
}
