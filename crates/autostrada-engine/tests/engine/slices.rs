//! `load` in slices: commands begin each of them, and the load rests in between.

use std::net::SocketAddr;
use std::sync::mpsc::channel;
use std::time::Duration;

use autostrada_net::clock;
use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::process::{Engine, assert_fields, with};
use crate::publish::hub;
use crate::raw_server::serve_one;

/// Starts a load in slices, and waits until its connections are open.
fn load(address: SocketAddr, path: &str, settings: &Value) -> Engine {
    let mut engine = Engine::load(&plan(&format!("ws://{address}/{path}"), settings));
    engine.ready();
    assert_eq!(engine.line(), json!({"event": "opened"}));
    engine
}

fn plan(url: &str, settings: &Value) -> Value {
    let plan = json!({
        "format": 2, "url": url, "slices": true, "connections": 3,
        "workload": {
            "kind": "echo", "window": 2, "payload": {"text": "hello", "stamped": true},
            "phases": {"window_s": 1},
        },
    });
    with(plan, settings)
}

/// Carries out a slice of 50 ms; returns its line.
fn slice(engine: &mut Engine, counts: bool) -> Value {
    engine.send(&json!({"slice": {"seconds": 0.05, "counts": counts}}));
    let line = engine.line();
    assert_eq!(line["event"], "slice", "{line}");
    line
}

/// Ends a load by its command; returns its result.
fn end(mut engine: Engine) -> Value {
    engine.send(&json!({"end": true}));
    let finished = engine.finish();
    assert_eq!(finished.status, Some(0), "{}", finished.stderr);
    assert_eq!(finished.lines.len(), 1);
    finished.lines[0].clone()
}

fn sum(lines: &[Value], value: impl Fn(&Value) -> u64) -> u64 {
    lines.iter().map(value).sum()
}

pub fn number(line: &Value, key: &str) -> u64 {
    line[key].as_u64().unwrap()
}

/// Asserts that a result is the sum of the slices that count.
fn assert_sum(result: &Value, slices: &[Value]) {
    let length_ns = |line: &Value| number(line, "ended_ns") - number(line, "began_ns");
    assert_eq!(result["window_ns"], sum(slices, length_ns));
    assert_eq!(result["window_start_ns"], slices[0]["began_ns"]);
    assert_eq!(
        result["messages"],
        sum(slices, |line| number(line, "messages"))
    );
    assert_eq!(result["failures"], json!([]));
    assert_eq!(result["ended"], "complete");
}

#[test]
fn slices_add_up_to_the_result_and_some_do_not_count() {
    for threads in [1, 2] {
        let (_server, address) = Engine::echo();
        let settings = json!({"threads": threads, "busy_poll_us": 0});
        let mut engine = load(address, "echo", &settings);
        let lines = [false, true, true, false, true].map(|counts| slice(&mut engine, counts));
        let [_, first, second, _, third] = lines.clone();
        let counted = [first, second, third];
        let result = end(engine);
        assert_sum(&result, &counted);
        for line in &lines {
            assert_eq!(line["complete"], true, "{line}");
            let length_ns = number(line, "ended_ns") - number(line, "began_ns");
            assert!(
                number(line, "messages") >= 6 && length_ns >= 50_000_000,
                "{line}"
            );
        }
        assert!(sum(&lines, |line| number(line, "busy_ns")) > 0);
        let exchange = &result["exchange"];
        assert_eq!(exchange["completed"], result["messages"]);
        // A thread that runs only after the time of a slice sends messages that were not due in it.
        assert_eq!(exchange["echoed"], exchange["sent"]);
        assert_eq!(exchange["echoed"], result["sequence"]["in_order"]);
        let backlog = json!({"at_window_end": 0, "answered_in_drain": 0, "unanswered": 0});
        assert_eq!(exchange["backlog"], backlog);
        let most = number(&exchange["answers_per_connection"], "most");
        assert!((most..=3 * most).contains(&number(&result, "messages")));
        let timed = exchange["response_time_ns"].as_array().unwrap();
        let timed = sum(timed, |bucket| bucket[1].as_u64().unwrap());
        assert_eq!(exchange["echoed"], timed);
        assert_eq!(result["utilizations"].as_array().unwrap().len(), threads);
        // 5 bytes with a stamp of 42, and a header of 2 bytes.
        let read_bytes = number(&result, "read_bytes") - 49 * number(&result, "messages");
        assert!(read_bytes < 3 * 512, "only handshakes: {read_bytes}");
    }
}

#[test]
fn deliveries_add_up_to_the_result() {
    let workload = json!({
        "kind": "publish", "window": 2, "phases": {"window_s": 1},
        "feed": {"kind": "sequence", "broadcast": true},
    });
    let mut engine = load(hub(0), "subscribe", &json!({"workload": workload}));
    let lines = [false, true, true].map(|counts| slice(&mut engine, counts));
    assert!(
        lines.iter().all(|line| line["complete"] == true),
        "{lines:?}"
    );
    let result = end(engine);
    assert_sum(&result, &lines[1..]);
    assert_eq!(result["published"]["undelivered"], 0);
    assert_eq!(result["sequence"]["in_order"], result["messages"]);
}

#[test]
fn a_lost_delivery_ends_the_exchange() {
    let workload = json!({
        "kind": "publish", "phases": {"window_s": 1, "drain_s": 0.1},
        "feed": {"kind": "sequence", "broadcast": true},
    });
    let mut engine = load(hub(1), "subscribe", &json!({"workload": workload}));
    while slice(&mut engine, true)["complete"] == true {}
    let next = slice(&mut engine, true);
    assert_fields(&next, &json!({"messages": 0, "complete": false}));
    assert_eq!(end(engine)["published"]["undelivered"], 2);
}

#[test]
fn a_server_commands_slices_too() {
    let settings = json!({"end": "server"});
    let mut engine = Engine::load(&plan("ws://127.0.0.1:0/reply", &settings));
    let address = engine.ready();
    let clients = Engine::load(&json!({
        "format": 2, "url": format!("ws://{address}/reply"), "connections": 3,
        "workload": {"kind": "answer", "phases": {"window_s": 60}},
    }));
    assert_eq!(engine.line()["event"], "opened");
    let lines = [true, true].map(|counts| slice(&mut engine, counts));
    assert_sum(&end(engine), &lines);
    assert_eq!(clients.complete()["failures"], json!([]));
}

#[test]
fn a_server_that_ends_between_slices_makes_them_incomplete() {
    let (server, address) = Engine::echo();
    let mut engine = load(address, "echo", &json!({"threads": 2}));
    let before = slice(&mut engine, true);
    drop(server);
    let after = slice(&mut engine, true);
    assert_eq!(
        (&before["complete"], &after["complete"]),
        (&json!(true), &json!(false))
    );
    let last = slice(&mut engine, true);
    assert_fields(&last, &json!({"messages": 0, "complete": false}));
    let result = end(engine);
    assert_fields(&result, &json!({"lost": 3, "ended": "closed"}));
    let failed = result["failures"].as_array().unwrap();
    assert!(
        sum(failed, |failure| number(failure, "count")) >= 3,
        "{failed:?}"
    );
}

#[test]
fn a_connection_with_an_unanswered_message_is_not_used_again() {
    let (is_over, slice_is_over) = channel();
    let (is_late, late_is_read) = channel();
    let (address, _server) = serve_one(move |mut peer| {
        peer.write(&[]);
        let unanswered = [peer.read_text(), peer.read_text()];
        slice_is_over.recv().unwrap();
        for text in unanswered {
            peer.send(Opcode::Text, text.as_bytes());
        }
        peer.send(Opcode::Ping, b"late");
        assert_eq!(peer.read_pong(), b"late");
        is_late.send(()).unwrap();
        assert_eq!(peer.read_close(), Some(1000), "and no message");
    });
    let workload = json!({
        "kind": "echo", "window": 2, "payload": {"text": "hello", "stamped": true},
        "phases": {"window_s": 1, "drain_s": 0.05},
    });
    let settings = json!({"connections": 1, "workload": workload});
    let mut engine = load(address, "", &settings);
    let mut lines = vec![slice(&mut engine, true)];
    is_over.send(()).unwrap();
    late_is_read.recv().unwrap();
    lines.push(slice(&mut engine, true));
    for line in lines {
        assert_fields(&line, &json!({"messages": 0, "complete": false}));
    }
    let result = end(engine);
    let example = "a message was not answered before the drain was over";
    assert_eq!(
        result["failures"],
        json!([{"kind": "timeout", "count": 2, "example": example}])
    );
    assert_eq!(result["exchange"]["backlog"]["unanswered"], 2);
}

/// Returns the CPU time of all threads of a process, in nanoseconds, and how often they slept.
pub fn used(pid: u32) -> (u64, u64) {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let (mut cpu_ns, mut sleeps) = (0, 0);
    for task in tasks {
        let task = task.unwrap().path();
        let text = std::fs::read_to_string(task.join("schedstat")).unwrap();
        cpu_ns += text.split(' ').next().unwrap().parse::<u64>().unwrap();
        let status = std::fs::read_to_string(task.join("status")).unwrap();
        let switches = status
            .lines()
            .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        sleeps += switches.unwrap().trim().parse::<u64>().unwrap();
    }
    (cpu_ns, sleeps)
}

#[test]
fn a_load_between_slices_uses_no_cpu_time() {
    let (_server, address) = Engine::echo();
    let mut engine = load(address, "echo", &json!({"threads": 2}));
    slice(&mut engine, false);
    let begun_at = clock::now();
    let (cpu_before, sleeps_before) = used(engine.pid());
    let (_sender, nothing) = channel::<()>();
    nothing.recv_timeout(Duration::from_secs(1)).unwrap_err();
    let (cpu_after, sleeps_after) = used(engine.pid());
    let elapsed_ns = clock::now() - begun_at;
    assert!(cpu_after - cpu_before < elapsed_ns / 20, "polls");
    let sleeps = sleeps_after - sleeps_before;
    assert!(
        sleeps < elapsed_ns / 50_000_000,
        "{sleeps} in {elapsed_ns} ns"
    );
}

#[test]
fn the_end_of_stdin_and_a_signal_end_a_load_that_rests() {
    let (_server, address) = Engine::echo();
    let mut engine = load(address, "echo", &json!({}));
    let line = slice(&mut engine, true);
    engine.end_stdin();
    assert_sum(&engine.result(), &[line]);
    assert_eq!(engine.finish().status, Some(0));
    let engine = load(address, "echo", &json!({}));
    engine.signal("-TERM");
    let finished = engine.finish();
    assert_eq!(finished.lines[0]["ended"], "interrupted");
    assert_eq!(finished.status, Some(130));
}

#[test]
fn invalid_commands_end_the_load_with_an_error() {
    for (command, remedy) in [
        ("{\"slice\": {\"seconds\": 1}}", "missing field `counts`"),
        (
            "{\"slice\": {\"seconds\": 0, \"counts\": true}}",
            "must be above 0",
        ),
        ("{\"start-at-ns\": 1}", "takes the commands slice"),
        ("{\"end\": false}", "takes the commands slice"),
        ("[]", "stdin: "),
    ] {
        let (_server, address) = Engine::echo();
        let mut engine = load(address, "echo", &json!({}));
        engine.send_text(command);
        engine.end_stdin();
        let line = engine.refusal();
        assert!(line.contains(remedy), "{line}");
    }
}
