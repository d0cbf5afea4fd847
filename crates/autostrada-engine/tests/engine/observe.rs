//! `observe` of real, scripted processes.

use std::process::Command;

use serde_json::{Value, json};

use crate::process::Engine;
use crate::watched::{Script, fresh, metric, number, observe, sample};

/// Uses CPU time by its own clock, and prints that clock before and after.
const BURN: &str = "
import sys, time
def burn(seconds):
    end = time.process_time_ns() + int(seconds * 1e9)
    while time.process_time_ns() < end:
        pass
print(time.process_time_ns(), flush=True)
sys.stdin.readline()
burn(0.5)
print(time.process_time_ns(), flush=True)
sys.stdin.readline()
";

#[test]
fn cpu_time_equals_the_cpu_clock_of_the_process() {
    let mut script = Script::python(BURN);
    let mut engine = observe(&json!({"worker": script.pid()}));
    let before = sample(&mut engine);
    let own_ns = script.resume().parse::<u64>().unwrap() - script.ready.parse::<u64>().unwrap();
    let after = fresh(&mut engine);
    let cpu_ns = number(&after, "cpu_ns") - number(&before, "cpu_ns");
    assert!(cpu_ns.abs_diff(own_ns) * 5 <= own_ns, "{own_ns}: {cpu_ns}");
    assert_eq!(after["processes"]["worker"]["gone"], false);
}

#[test]
fn memory_is_reported_with_its_peak() {
    let mut script = Script::python(
        "
import sys
print('ready', flush=True)
sys.stdin.readline()
held = bytearray(b'x') * 50_000_000
print('held', flush=True)
sys.stdin.readline()
del held
print('let go', flush=True)
sys.stdin.readline()
",
    );
    let mut engine = observe(&json!({"holder": script.pid()}));
    let before = fresh(&mut engine);
    script.resume();
    let held = fresh(&mut engine);
    let grown = number(&held, "resident_bytes") - number(&before, "resident_bytes");
    assert!(
        (49_000_000..55_000_000).contains(&grown),
        "{before}, {held}"
    );
    script.resume();
    let after = fresh(&mut engine);
    assert!(number(&after, "resident_bytes") < number(&held, "resident_bytes") - 45_000_000);
    assert!(number(&after, "peak_resident_bytes") >= number(&held, "resident_bytes"));
}

#[test]
fn usage_of_descendants_remains_when_they_end() {
    let mut script = Script::python(
        "
import os, sys, time
print('ready', flush=True)
sys.stdin.readline()
child = os.fork()
if child == 0:
    grandchild = os.fork()
    if grandchild == 0:
        while time.process_time() < 0.3:
            pass
        os._exit(0)
    os.waitpid(grandchild, 0)
    os._exit(0)
os.waitpid(child, 0)
print('ended', flush=True)
sys.stdin.readline()
",
    );
    let mut engine = observe(&json!({"family": script.pid()}));
    let before = number(&sample(&mut engine), "cpu_ns");
    script.resume();
    let after = number(&fresh(&mut engine), "cpu_ns");
    // The kernel rounds user and system time of descendants down to ticks of 10 ms.
    let used_ns = after - before;
    assert!((280_000_000..600_000_000).contains(&used_ns), "{used_ns}");
    // The total does not decrease when a descendant ends.
    let mut last = after;
    engine.end_stdin();
    for line in engine.finish().lines {
        assert!(number(&line, "cpu_ns") >= last, "{line}");
        last = number(&line, "cpu_ns");
    }
}

#[test]
fn a_descendant_whose_parent_ends_first_still_counts() {
    let mut script = Script::python(
        "
import os, sys, time
end, work, done = os.pipe(), os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    if os.fork() == 0:
        os.write(done[1], b'x')
        os.read(work[0], 1)
        while time.process_time() < 0.3:
            pass
        os.write(done[1], b'x')
        # Until its ancestor has ended.
        os.close(work[1])
        os.read(work[0], 1)
        os._exit(0)
    os.read(end[0], 1)
    os._exit(0)
os.read(done[0], 1)
print('ready', flush=True)
sys.stdin.readline()
os.write(end[1], b'x')
os.waitpid(child, 0)
os.write(work[1], b'x')
os.read(done[0], 1)
print('worked', flush=True)
sys.stdin.readline()
",
    );
    let mut engine = observe(&json!({"family": script.pid()}));
    let before = number(&sample(&mut engine), "cpu_ns");
    script.resume();
    let after = number(&fresh(&mut engine), "cpu_ns");
    assert!(after - before >= 290_000_000, "{before} to {after}");
}

#[test]
fn a_killed_process_is_reported_as_gone_and_others_continue() {
    let mut scripts = [Script::idle(), Script::idle()];
    let pids = [scripts[0].pid(), scripts[1].pid()];
    let mut engine = observe(&json!({"first": pids[0], "second": pids[1]}));
    let both = sample(&mut engine);
    assert_eq!(both["processes"].as_object().unwrap().len(), 2);
    // It is a zombie: it has ended and was not reaped.
    scripts[1].kill();
    let last = loop {
        let line = sample(&mut engine);
        assert_eq!(line["processes"]["first"]["gone"], false);
        if line["processes"]["second"]["gone"] == true {
            break line;
        }
    };
    let [before, after] = [both, last].map(|sample| sample["processes"]["second"].clone());
    assert!(metric(&after, "cpu_ns") >= metric(&before, "cpu_ns"));
    for kept in ["resident_bytes", "proportional_bytes", "threads", "files"] {
        assert_eq!(metric(&after, kept), metric(&before, kept), "{kept}");
    }
    for _ in 0..3 {
        assert_eq!(number(&sample(&mut engine), "threads"), 1);
    }
    scripts[0].kill();
    let finished = engine.finish();
    assert_eq!((finished.status, finished.stderr.as_str()), (Some(0), ""));
    let (last, others) = finished.lines.split_last().unwrap();
    let is_gone = |sample: &Value| sample["processes"]["first"]["gone"] == true;
    assert!(is_gone(last));
    assert!(!others.iter().any(is_gone));
}

#[test]
fn the_end_of_stdin_ends_observe() {
    let script = Script::idle();
    let mut engine = observe(&json!({"one": script.pid()}));
    engine.end_stdin();
    let finished = engine.finish();
    assert_eq!((finished.status, finished.stderr.as_str()), (Some(0), ""));
    assert!(
        !finished.lines.is_empty(),
        "the first sample is printed at once"
    );
}

#[test]
fn a_signal_ends_observe_without_waiting_for_the_next_sample() {
    let script = Script::idle();
    let mut engine = Engine::start(&["observe"]);
    engine.send(&json!({"format": 2, "processes": {"one": script.pid()}, "every_ms": 3_600_000}));
    sample(&mut engine);
    engine.interrupt();
    let finished = engine.finish();
    assert_eq!((finished.status, finished.stderr.as_str()), (Some(130), ""));
    assert!(finished.lines.is_empty());
}

#[test]
fn samples_are_taken_at_fixed_times() {
    let script = Script::idle();
    let mut engine = observe(&json!({"one": script.pid()}));
    let mut last = metric(&sample(&mut engine), "at_ns");
    for _ in 0..5 {
        let at_ns = metric(&sample(&mut engine), "at_ns");
        assert!(at_ns > last);
        last = at_ns;
    }
}

/// The error line for a plan with this process and a valid one.
fn refusal(pid: u32) -> String {
    let script = Script::idle();
    observe(&json!({"one": script.pid(), "other": pid})).refusal()
}

#[test]
fn a_process_that_does_not_exist_is_refused() {
    let mut ended = Command::new("true").spawn().unwrap();
    ended.wait().unwrap();
    let line = refusal(ended.id());
    assert!(
        line.contains(&format!("\"other\" is {}", ended.id())),
        "{line}"
    );
}

#[test]
fn a_process_that_has_ended_is_refused_even_if_it_is_a_zombie() {
    let mut ended = Script::idle();
    ended.kill();
    // The kernel closes the process's end of the pipe before the process has ended completely.
    assert_eq!(ended.read_line(), "");
    let path = format!("/proc/{}/stat", ended.pid());
    while !std::fs::read_to_string(&path).unwrap().contains(") Z ") {
        std::thread::yield_now();
    }
    refusal(ended.pid());
}

#[test]
fn a_thread_is_not_a_process() {
    let (sender, receiver) = std::sync::mpsc::channel::<()>();
    let (names, name) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let own = std::fs::read_link("/proc/thread-self").unwrap();
        names
            .send(own.file_name().unwrap().to_str().unwrap().to_owned())
            .unwrap();
        let _ = receiver.recv();
    });
    let thread_id: u64 = name.recv().unwrap().parse().unwrap();
    observe(&json!({"thread": thread_id})).refusal();
    drop(sender);
    thread.join().unwrap();
}

#[test]
fn an_invalid_command_is_refused() {
    let script = Script::idle();
    let of_none = json!({"connection": {"pid": 1, "local": "[::1]:5", "peer": "[::1]:6"}});
    for (command, reason) in [
        ("{\"observe\": {}}\n", "`connection`"),
        ("what\n", "stdin: "),
        (&format!("{of_none}\n"), "no process with pid 1"),
    ] {
        let mut engine = observe(&json!({"one": script.pid()}));
        engine.send_text(command);
        let finished = engine.finish();
        assert_eq!(finished.status, Some(2));
        assert_eq!(finished.stderr.lines().count(), 1, "{}", finished.stderr);
        assert!(finished.stderr.contains(reason), "{}", finished.stderr);
    }
}
