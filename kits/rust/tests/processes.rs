//! Tests of whole processes: this program runs itself as the process under test.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::{env, fs, process, thread};

use autostrada_kit::{Receiver, run_workers};

/// The process under test: a server with workers.
fn serve() {
    run_workers(2, || {
        println!("{}", process::id());
        loop {
            thread::park();
        }
    });
}

fn main() {
    if env::var_os("SERVE").is_some() {
        return serve();
    }
    if env::var_os("RECEIVE").is_some() {
        let _never = Receiver::from_environment();
        return;
    }
    workers_end_with_their_parent();
    a_wrong_environment_ends_the_program_with_status_2_and_one_line();
}

fn a_wrong_environment_ends_the_program_with_status_2_and_one_line() {
    let ended = Command::new(env::current_exe().unwrap())
        .env_clear()
        .envs([("RECEIVE", ""), ("MESSAGES", "ten"), ("URL", "ws://host/")])
        .output()
        .unwrap();
    let reason = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(2), "{reason}");
    assert!(reason.starts_with("MESSAGES is "), "{reason}");
    assert_eq!(reason.lines().count(), 1, "{reason}");
    assert!(ended.stdout.is_empty());
}

fn workers_end_with_their_parent() {
    let mut started = Command::new(env::current_exe().unwrap())
        .env("SERVE", "")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(started.stdout.take().unwrap()).lines();
    let workers: Vec<_> = lines.take(2).map(Result::unwrap).collect();
    assert_ne!(workers[0], workers[1]);
    // SAFETY: no pointers are passed, and the process has not been waited for.
    let status = unsafe { libc::kill(started.id().cast_signed(), libc::SIGTERM) };
    assert_eq!(status, 0);
    assert_eq!(started.wait().unwrap().code(), Some(1));
    for worker in workers {
        assert!(
            fs::metadata(format!("/proc/{worker}")).is_err(),
            "{worker} lives"
        );
    }
}
