//! `observe` against the metrics that processes report themselves, and missing permissions.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::observer::{Script, fresh, metric, number, observe, sample};
use crate::process::{Engine, assert_fields};

/// Uses CPU and memory, waits, and prints its `getrusage(2)`.
const WORKER: &str = "
import resource, sys, threading, time
def work():
    while time.thread_time() < 0.2:
        bytearray(100_000)
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
held = bytearray(b'x') * 60_000_000
for _ in range(200):
    time.sleep(0)
    open('/proc/self/stat').read()
print('worked', flush=True)
sys.stdin.readline()
own = resource.getrusage(resource.RUSAGE_SELF)
# Of what ran in this process before it became Python.
reaped = resource.getrusage(resource.RUSAGE_CHILDREN)
# What is held now is the most that was: ru_maxrss would also be of who started this (execve(2)).
held_kib = int(open('/proc/self/statm').read().split()[1]) * resource.getpagesize() // 1024
print(own.ru_utime + reaped.ru_utime, own.ru_stime + reaped.ru_stime, held_kib,
      own.ru_minflt + reaped.ru_minflt, own.ru_majflt + reaped.ru_majflt, flush=True)
sys.stdin.readline()
";

#[test]
fn metrics_equal_those_of_getrusage() {
    let mut script = Script::python(WORKER);
    let own: Vec<f64> = script
        .resume()
        .split(' ')
        .map(|field| field.parse().unwrap())
        .collect();
    let [user_s, system_s, peak_kib, minor, major] = own[..] else {
        panic!("{own:?}");
    };
    let mut engine = observe(&json!({"worker": script.pid()}));
    let seen = fresh(&mut engine);
    let metric_of = |key: &str| number(&seen, key) as f64;
    // User, system and child times are in ticks of at most 10 ms.
    for (key, expected, slack) in [
        ("cpu_ns", (user_s + system_s) * 1e9, 20e6),
        ("user_ns", user_s * 1e9, 20e6),
        ("system_ns", system_s * 1e9, 20e6),
        ("peak_resident_bytes", peak_kib * 1024.0, 0.0),
        ("faults_minor", minor, 5.0),
        ("faults_major", major, 5.0),
    ] {
        let difference = (metric_of(key) - expected).abs();
        assert!(
            difference <= 0.02 * expected + slack,
            "{key} is {expected}: {seen}"
        );
    }
    assert!(metric_of("proportional_bytes") <= metric_of("resident_bytes"));
    assert!(metric_of("proportional_bytes") >= 60e6);
}

#[test]
fn files_are_counted() {
    let mut script = Script::python(
        "
import sys
print('ready', flush=True)
sys.stdin.readline()
files = [open('/dev/null') for _ in range(50)]
print('opened', flush=True)
sys.stdin.readline()
",
    );
    let mut engine = observe(&json!({"opener": script.pid()}));
    let before = number(&fresh(&mut engine), "files");
    script.resume();
    assert_eq!(number(&fresh(&mut engine), "files"), before + 50);
}

#[test]
fn a_thousand_threads_are_counted_with_their_cpu_time() {
    let mut script = Script::python(
        "
import resource, sys, threading
threading.stack_size(65536)
begin, end = threading.Event(), threading.Event()
left = threading.Semaphore(0)
def wait():
    begin.wait()
    left.release()
    end.wait()
threads = [threading.Thread(target=wait, daemon=True) for _ in range(1000)]
for thread in threads:
    thread.start()
begin.set()
for _ in threads:
    left.acquire()
print('worked', flush=True)
sys.stdin.readline()
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_nvcsw, used.ru_nivcsw, flush=True)
sys.stdin.readline()
",
    );
    let answer = script.resume();
    let (voluntary, forced) = answer.split_once(' ').unwrap();
    let mut engine = observe(&json!({"threads": script.pid()}));
    let seen = sample(&mut engine);
    assert_eq!(number(&seen, "threads"), 1_001);
    for (key, own) in [
        ("switches_voluntary", voluntary),
        ("switches_forced", forced),
    ] {
        let (seen, own) = (number(&seen, key), own.parse::<u64>().unwrap());
        assert!(
            seen.abs_diff(own) <= own / 50 + 10,
            "{key} is {own}: {seen}"
        );
    }
}

/// Starts `observe` as a user who cannot inspect every process.
fn observe_unprivileged(processes: &Value) -> (Engine, Option<Copy>) {
    let plan = json!({"format": 2, "processes": processes, "every_ms": 10});
    let (mut engine, copy) = if std::fs::metadata("/proc/self").unwrap().uid() == 0 {
        // In a directory where every user can execute it.
        let copy = Copy::new();
        let mut setpriv = Command::new("setpriv");
        let user = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
        setpriv.args(user).arg(&copy.0);
        (Engine::start_by(&mut setpriv, &["observe"]), Some(copy))
    } else {
        (Engine::start(&["observe"]), None)
    };
    engine.send(&plan);
    (engine, copy)
}

/// A copy of the engine, which is removed when dropped.
struct Copy(PathBuf);

impl Copy {
    fn new() -> Self {
        let name = format!("autostrada-engine-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::copy(env!("CARGO_BIN_EXE_autostrada-engine"), &path).unwrap();
        Self(path)
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn unreadable_metrics_are_null_and_reported_once() {
    // A process that is not dumpable (PR_SET_DUMPABLE) can be inspected only by root.
    let script = Script::python(
        "
import ctypes, sys
print(ctypes.CDLL(None).prctl(4, 0, 0, 0, 0), flush=True)
sys.stdin.readline()
",
    );
    assert_eq!(script.ready, "0");
    let (mut engine, _copy) = observe_unprivileged(&json!({"one": script.pid()}));
    let first = sample(&mut engine);
    let one = &first["processes"]["one"];
    assert!(one["proportional_bytes"].is_null(), "{first}");
    for known in ["cpu_ns", "resident_bytes", "threads", "faults_minor"] {
        metric(one, known);
    }
    assert!(first["sockets"]["one"].is_null(), "{first}");
    for missing in ["processes.one.proportional_bytes", "sockets.one"] {
        let why = first["missing"][missing].as_str().unwrap();
        assert!(why.contains("denied"), "{why}");
    }
    assert!(metric(&first["host"], "memory_available_bytes") > 0);
    let second = sample(&mut engine);
    assert!(second["processes"]["one"]["proportional_bytes"].is_null());
    assert_eq!(second["missing"], json!({}));
}

#[test]
fn a_plan_may_leave_out_sockets_and_the_machine() {
    let script = Script::idle();
    let mut engine = Engine::start(&["observe"]);
    engine.send(&json!({
        "format": 2, "processes": {"one": script.pid()}, "sockets": false, "host": false
    }));
    let sample = sample(&mut engine);
    assert_fields(&sample, &json!({"sockets": null, "host": null}));
    assert_eq!(sample["missing"], json!({}));
}
