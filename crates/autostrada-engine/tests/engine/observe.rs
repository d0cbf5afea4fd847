//! `observe` beside real processes that do what is written here.

use std::process::Command;

use serde_json::{Value, json};

use crate::process::Engine;
use crate::watched::{Script, figure, fresh, number, observe, sample};

/// Works for as long as its own clock says, and prints that clock before and after.
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
fn cpu_time_is_what_the_clock_of_the_process_says() {
    let mut script = Script::python(BURN);
    let mut engine = observe(&json!({"worker": script.pid()}));
    let before = sample(&mut engine);
    let own_ns = script.go_on().parse::<u64>().unwrap() - script.ready.parse::<u64>().unwrap();
    let after = fresh(&mut engine);
    let cpu_ns = number(&after, "cpu_ns") - number(&before, "cpu_ns");
    assert!(cpu_ns.abs_diff(own_ns) * 50 <= own_ns, "{own_ns}: {cpu_ns}");
    assert_eq!(after["processes"]["worker"]["gone"], false);
}

#[test]
fn memory_is_what_the_process_holds_and_the_most_it_ever_held() {
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
    script.go_on();
    let held = fresh(&mut engine);
    let grown = number(&held, "resident_bytes") - number(&before, "resident_bytes");
    assert!(
        (49_000_000..55_000_000).contains(&grown),
        "{before}, {held}"
    );
    script.go_on();
    let after = fresh(&mut engine);
    assert!(number(&after, "resident_bytes") < number(&held, "resident_bytes") - 45_000_000);
    assert!(number(&after, "peak_resident_bytes") >= number(&held, "resident_bytes"));
}

#[test]
fn what_descendants_used_stays_when_they_end() {
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
    script.go_on();
    let after = number(&fresh(&mut engine), "cpu_ns");
    // The kernel rounds what descendants used down to ticks of 10 ms, of user and system each.
    let used_ns = after - before;
    assert!((280_000_000..600_000_000).contains(&used_ns), "{used_ns}");
    // It does not fall with who used it.
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
end, work, told = os.pipe(), os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    if os.fork() == 0:
        os.write(told[1], b'x')
        os.read(work[0], 1)
        while time.process_time() < 0.3:
            pass
        os.write(told[1], b'x')
        # Until its ancestor has ended.
        os.close(work[1])
        os.read(work[0], 1)
        os._exit(0)
    os.read(end[0], 1)
    os._exit(0)
os.read(told[0], 1)
print('ready', flush=True)
sys.stdin.readline()
os.write(end[1], b'x')
os.waitpid(child, 0)
os.write(work[1], b'x')
os.read(told[0], 1)
print('worked', flush=True)
sys.stdin.readline()
",
    );
    let mut engine = observe(&json!({"family": script.pid()}));
    let before = number(&sample(&mut engine), "cpu_ns");
    script.go_on();
    let after = number(&fresh(&mut engine), "cpu_ns");
    assert!(after - before >= 290_000_000, "{before} to {after}");
}

#[test]
fn a_killed_process_is_gone_in_its_last_line_and_others_go_on() {
    let mut scripts = [Script::idle(), Script::idle()];
    let pids = [scripts[0].pid(), scripts[1].pid()];
    let mut engine = observe(&json!({"first": pids[0], "second": pids[1]}));
    let both = sample(&mut engine);
    assert_eq!(both["processes"].as_object().unwrap().len(), 2);
    // Nobody waits for it: it has ended, whatever remains of it.
    scripts[1].kill();
    let last = loop {
        let line = sample(&mut engine);
        assert_eq!(line["processes"]["first"]["gone"], false);
        if line["processes"]["second"]["gone"] == true {
            break line;
        }
    };
    let [before, after] = [both, last].map(|sample| sample["processes"]["second"].clone());
    assert!(figure(&after, "cpu_ns") >= figure(&before, "cpu_ns"));
    for kept in ["resident_bytes", "proportional_bytes", "threads", "files"] {
        assert_eq!(figure(&after, kept), figure(&before, kept), "{kept}");
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
fn it_ends_with_its_stdin() {
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
fn a_signal_ends_it_however_long_the_next_sample_is_away() {
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
fn instants_are_those_of_a_timetable() {
    let script = Script::idle();
    let mut engine = observe(&json!({"one": script.pid()}));
    let mut last = figure(&sample(&mut engine), "at_ns");
    for _ in 0..5 {
        let at_ns = figure(&sample(&mut engine), "at_ns");
        assert!(at_ns > last);
        last = at_ns;
    }
}

/// The line with which it is refused to observe this process beside another one.
fn refusal(pid: u32) -> String {
    let script = Script::idle();
    let finished = observe(&json!({"one": script.pid(), "other": pid})).finish();
    assert_eq!(finished.status, Some(2), "{}", finished.stderr);
    assert!(finished.lines.is_empty());
    assert_eq!(finished.stderr.lines().count(), 1, "{}", finished.stderr);
    finished.stderr
}

#[test]
fn a_process_that_is_not_there_is_refused() {
    let mut ended = Command::new("true").spawn().unwrap();
    ended.wait().unwrap();
    let line = refusal(ended.id());
    assert!(
        line.contains(&format!("\"other\" is {}", ended.id())),
        "{line}"
    );
}

#[test]
fn a_process_that_has_ended_is_refused_also_where_nobody_has_waited_for_it() {
    let mut ended = Script::idle();
    ended.kill();
    // The kernel closes its end of the pipe before it has ended in full.
    assert_eq!(ended.answer(), "");
    let path = format!("/proc/{}/stat", ended.pid());
    while !std::fs::read_to_string(&path).unwrap().contains(") Z ") {
        std::thread::yield_now();
    }
    refusal(ended.pid());
}

#[test]
fn a_thread_is_no_process() {
    let (sender, receiver) = std::sync::mpsc::channel::<()>();
    let (tell, told) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let own = std::fs::read_link("/proc/thread-self").unwrap();
        tell.send(own.file_name().unwrap().to_str().unwrap().to_owned())
            .unwrap();
        let _ = receiver.recv();
    });
    let thread_id: u64 = told.recv().unwrap().parse().unwrap();
    let finished = observe(&json!({"thread": thread_id})).finish();
    drop(sender);
    thread.join().unwrap();
    assert_eq!(finished.status, Some(2), "{}", finished.stderr);
}

#[test]
fn nothing_may_follow_the_plan() {
    let script = Script::idle();
    for further in ["{\"observe\": {}}\n", "what\n"] {
        let mut engine = observe(&json!({"one": script.pid()}));
        engine.send_text(further);
        let finished = engine.finish();
        assert_eq!(finished.status, Some(2));
        assert_eq!(finished.stderr.lines().count(), 1, "{}", finished.stderr);
        assert!(
            finished.stderr.contains("leave stdin open"),
            "{}",
            finished.stderr
        );
    }
}
