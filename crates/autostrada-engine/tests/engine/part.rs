//! Engines that divide a load: the parts together are the load of one engine.

use autostrada_net::clock;
use serde_json::{Value, json};

use crate::process::{Engine, words};

/// Time from the command to the start, in nanoseconds.
const UNTIL_START_NS: u64 = 300_000_000;

/// Starts two engines that divide a load, whose server ends with the first value.
fn parts(workload: &Value, awaits_start: bool) -> (Engine, [Engine; 2]) {
    let (server, address) = Engine::echo();
    let start = |index| {
        Engine::load(&json!({
            "format": 2, "url": format!("ws://{address}/echo"), "connections": 5, "threads": 2,
            "workload": workload, "part": {"index": index, "of": 2}, "awaits_start": awaits_start,
        }))
    };
    let engines = [0, 1].map(start).map(|mut engine| {
        engine.ready();
        engine
    });
    (server, engines)
}

#[test]
fn engines_begin_at_the_instant_of_the_command() {
    let workload = json!({"kind": "echo", "phases": {"window_s": 0.1}});
    let (_server, mut engines) = parts(&workload, true);
    for engine in &mut engines {
        while engine.line()["event"] != "opened" {}
    }
    let at = clock::now() + UNTIL_START_NS;
    for engine in &mut engines {
        engine.send(&json!({"start-at-ns": at}));
    }
    for engine in &mut engines {
        let result = engine.result();
        assert_eq!(result["window_start_ns"], at);
        assert_eq!(result["ended"], "complete");
    }
}

#[test]
fn an_engine_that_awaits_its_start_ends_with_stdin() {
    let workload = json!({"kind": "echo", "phases": {"window_s": 60}});
    let (_server, [mut engine, _other]) = parts(&workload, true);
    while engine.line()["event"] != "opened" {}
    engine.end_stdin();
    assert_eq!(engine.result()["exchange"]["completed"], 0);
    assert_eq!(engine.finish().status, Some(130));
}

#[test]
fn the_results_of_all_engines_are_reported_as_one() {
    let workload = json!({
        "kind": "echo", "schedule": {"kind": "constant", "rate_per_s": 400},
        "phases": {"window_s": 0.5},
    });
    let (_server, engines) = parts(&workload, false);
    let lines = engines.map(|mut engine| engine.result().to_string());
    let mut engine = Engine::start(&words(
        "load ws://127.0.0.1:1/echo -c 5 -r 400/s --merge - --json -",
    ));
    engine.send_text(&lines.join("\n"));
    engine.end_stdin();
    let finished = engine.finish();
    assert_eq!(finished.lines.len(), 1, "{}", finished.stderr);
    let document = &finished.lines[0];
    assert_eq!(document["connections"], 5);
    assert_eq!(document["exchange"]["offered_rate_per_s"], 400.0);
    assert_eq!(
        document["asked"],
        "ws://127.0.0.1:1/echo: 5 connections, 400/s in total"
    );
    assert_eq!(finished.status, Some(0));
}

#[test]
fn instants_are_those_of_the_servers_clock() {
    for ahead_ns in [5_000_000_000_i64, -5_000_000_000] {
        let (_server, address) = Engine::echo();
        let before = clock::now();
        let mut engine = Engine::load(&json!({
            "format": 2, "url": format!("ws://{address}/echo"), "clock_ahead_ns": ahead_ns,
            "workload": {
                "kind": "echo", "schedule": {"kind": "constant", "rate_per_s": 100},
                "phases": {"window_s": 0.5},
            },
        }));
        engine.ready();
        let result = engine.result();
        let after = clock::now();
        let counts = ["sent", "unsent", "overdue"].map(|name| result["exchange"][name].as_u64());
        assert_eq!(counts.into_iter().flatten().sum::<u64>(), 50);
        assert!(result["exchange"]["completed"].as_u64() > Some(0));
        for instant in ["opened_ns", "window_start_ns", "received_ns"] {
            let at_server = result[instant].as_u64().unwrap();
            let at = at_server.saturating_add_signed(ahead_ns);
            assert!((before..after).contains(&at), "{instant}: {at}");
        }
    }
}
