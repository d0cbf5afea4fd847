//! `observe` of real, scripted processes.

use std::process::Command;

use serde_json::{Value, json};

use crate::observer::{Script, metric, number, observe, sample};
use crate::process::Engine;

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
fn a_process_that_does_not_exist_is_refused() {
    let mut ended = Command::new("true").spawn().unwrap();
    ended.wait().unwrap();
    let script = Script::idle();
    let line = observe(&json!({"one": script.pid(), "other": ended.id()})).refusal();
    assert!(
        line.contains(&format!("\"other\" is {}", ended.id())),
        "{line}"
    );
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
