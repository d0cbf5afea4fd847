//! `load` with echo: sent messages, echoes and failures.

use std::net::SocketAddr;

use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::process::{Engine, assert_fields, with};
use crate::raw_server::{accept_one, serve_one};

/// Runs a load against an address; `settings` are added to the plan.
fn exchange(address: SocketAddr, workload: &Value, settings: &Value) -> Value {
    let plan = json!({
        "format": 2, "url": format!("ws://{address}/echo"), "workload": workload,
    });
    Engine::load(&with(plan, settings)).complete()
}

fn count(buckets: &Value) -> u64 {
    let buckets = buckets.as_array().unwrap();
    buckets
        .iter()
        .map(|bucket| bucket[1].as_u64().unwrap())
        .sum()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn per_second(messages: u64, duration_ns: u64) -> f64 {
    messages as f64 * 1e9 / duration_ns as f64
}

#[test]
fn a_closed_loop_records_every_echo_of_its_window() {
    let (_server, address) = Engine::echo();
    let workload = json!({
        "kind": "echo", "window": 3, "payload": {"text": "grüezi"},
        "phases": {"warm_up_s": 0.05, "window_s": 0.2},
    });
    let result = exchange(address, &workload, &json!({"connections": 7}));
    assert_eq!(result["connections"], 7);
    assert_eq!(result["failures"], json!([]));
    assert!(number(&result["exchange"]["echoed"]) > 0);
    assert_eq!(result["exchange"]["echoed"], result["exchange"]["sent"]);
    for histogram in ["response_time_ns", "service_time_ns"] {
        assert_eq!(
            count(&result["exchange"][histogram]),
            number(&result["exchange"]["echoed"])
        );
    }
    assert_eq!(
        count(&result["exchange"]["send_delay_ns"]),
        0,
        "nothing is due in a closed loop"
    );
    assert_eq!(result["exchange"]["offered_rate_per_s"], Value::Null);
    assert_eq!(count(&result["connect_upgrade_time_ns"]), 7);
    assert_eq!(count(&result["connect_tls_time_ns"]), 0);
}

#[test]
fn an_open_loop_sends_exactly_the_due_messages() {
    let (_server, address) = Engine::echo();
    let workload = json!({
        "kind": "echo", "schedule": {"kind": "constant", "rate_per_s": 1000},
        "phases": {"warm_up_s": 0.1, "window_s": 0.4},
    });
    let result = exchange(address, &workload, &json!({"connections": 5, "threads": 2}));
    assert_eq!(result["exchange"]["offered_rate_per_s"], 1000.0);
    // On a busy machine, the window may end before the engine has sent what was due.
    let [sent, overdue] = ["sent", "overdue"].map(|name| number(&result["exchange"][name]));
    assert_eq!(sent + overdue, 400);
    assert_eq!(number(&result["exchange"]["unsent"]), 0);
    assert_eq!(result["exchange"]["echoed"], sent);
    assert_eq!(count(&result["exchange"]["send_delay_ns"]), sent);
    assert_eq!(count(&result["exchange"]["response_time_ns"]), sent);
    assert_eq!(result["utilizations"].as_array().unwrap().len(), 2);
}

#[test]
fn a_thread_that_waits_does_no_work() {
    let (_server, address) = Engine::echo();
    let workload = json!({
        "kind": "echo", "schedule": {"kind": "constant", "rate_per_s": 20},
        "phases": {"window_s": 0.5},
    });
    for busy_poll_us in [0, 50, 1000] {
        let result = exchange(address, &workload, &json!({"busy_poll_us": busy_poll_us}));
        let utilization = result["utilizations"][0].as_f64().unwrap();
        assert!(utilization < 0.5, "{busy_poll_us} µs: {utilization}");
    }
}

#[test]
fn a_ramp_and_poisson_arrivals_are_schedules_too() {
    let (_server, address) = Engine::echo();
    for schedule in [
        json!({"kind": "ramp", "from_per_s": 0, "to_per_s": 2000, "over_s": 0.2}),
        json!({"kind": "poisson", "rate_per_s": 1000, "seed": 7}),
    ] {
        let workload = json!({
            "kind": "echo", "schedule": schedule, "phases": {"window_s": 0.2},
        });
        let result = exchange(address, &workload, &json!({}));
        assert!(number(&result["exchange"]["sent"]) > 0, "{result}");
        assert_eq!(result["exchange"]["sent"], result["exchange"]["echoed"]);
    }
}

#[test]
fn messages_are_completed_in_the_window_or_backlog() {
    let (_server, address) = Engine::echo();
    for workload in [
        json!({"kind": "echo", "window": 3, "phases": {"window_s": 0.2}}),
        json!({"kind": "echo", "schedule": {"kind": "constant", "rate_per_s": 2000},
               "phases": {"window_s": 0.2}}),
    ] {
        let result = exchange(address, &workload, &json!({"connections": 5}));
        let exchanged = &result["exchange"];
        let backlog = |name: &str| number(&exchanged["backlog"][name]);
        let completed = number(&exchanged["completed"]);
        let answered = number(&result["messages"]);
        assert_eq!(answered, completed + backlog("at_window_end"), "{result}");
        assert_eq!(backlog("answered_in_drain"), backlog("at_window_end"));
        assert_eq!(backlog("unanswered"), 0);
        let rate_per_s = per_second(completed, number(&result["window_ns"]));
        assert_eq!(exchanged["achieved_rate_per_s"], rate_per_s);
        assert_eq!(
            exchanged["achieved_share"].is_null(),
            workload["schedule"].is_null()
        );
    }
}

#[test]
fn an_echo_with_other_content_is_a_mismatch_with_an_example() {
    let (address, server) = serve_one(|mut peer| {
        peer.send(Opcode::Text, b"parrot");
        assert_eq!(peer.read_close(), Some(1000));
        peer.close_with(1000);
    });
    let workload = json!({"kind": "echo", "phases": {"window_s": 0.3, "drain_s": 0.1}});
    let result = exchange(address, &workload, &json!({}));
    server.join().unwrap();
    assert_eq!(result["exchange"]["echoed"], 0);
    let failure = &result["failures"][0];
    assert_fields(failure, &json!({"kind": "mismatch", "count": 1}));
    assert!(failure["example"].as_str().unwrap().contains("parrot"));
}

#[test]
fn messages_due_on_a_closed_connection_are_unsent() {
    let (address, server) = serve_one(|mut peer| {
        peer.close_with(1001);
        peer.read_close();
    });
    let workload = json!({
        "kind": "echo", "schedule": {"kind": "constant", "rate_per_s": 1000},
        "phases": {"window_s": 0.2},
    });
    let result = exchange(address, &workload, &json!({}));
    server.join().unwrap();
    let counts = ["sent", "unsent", "overdue"].map(|name| number(&result["exchange"][name]));
    assert_eq!(counts.into_iter().sum::<u64>(), 200);
    assert!(number(&result["exchange"]["unsent"]) > 0, "{result}");
    assert_eq!(result["failures"][0]["kind"], "close");
}

#[test]
fn an_interrupted_load_prints_its_results() {
    for signal in ["-INT", "-TERM"] {
        let (_server, address) = Engine::echo();
        let mut client = Engine::load(&json!({
            "format": 2, "url": format!("ws://{address}/echo"), "threads": 2, "connections": 4,
            "workload": {
                "kind": "echo", "schedule": {"kind": "constant", "rate_per_s": 500},
                "phases": {"window_s": 600},
            },
        }));
        client.ready();
        let second = client.line();
        assert_fields(&second, &json!({"event": "second", "second": 0}));
        client.signal(signal);
        let result = client.result();
        assert_eq!(result["ended"], "interrupted");
        assert!(number(&result["exchange"]["sent"]) >= number(&second["messages"]));
        assert_eq!(result["exchange"]["sent"], result["exchange"]["echoed"]);
        assert_eq!(result["exchange"]["unsent"], 0);
        assert_eq!(client.finish().status, Some(130));
    }
}

#[test]
fn an_interruption_also_ends_the_opening_of_connections() {
    let (sender, accepted) = std::sync::mpsc::channel();
    let (address, server) = accept_one(move |mut stream| {
        sender.send(()).unwrap();
        std::io::copy(&mut stream, &mut std::io::sink()).unwrap();
    });
    let mut client = Engine::load(&json!({
        "format": 2, "url": format!("ws://{address}/echo"),
        "workload": {"kind": "echo", "phases": {"window_s": 600, "opening_s": 600}},
    }));
    client.ready();
    accepted.recv().unwrap();
    client.interrupt();
    let result = client.result();
    server.join().unwrap();
    assert_fields(&result, &json!({"connections": 0, "ended": "interrupted"}));
    assert_eq!(result["failures"], json!([]));
    assert_eq!(client.finish().status, Some(130));
}

#[test]
fn a_source_address_that_cannot_be_used_is_refused_with_the_remedy() {
    for (url, source, remedy) in [
        ("ws://127.0.0.1:1/", json!(["192.0.2.1"]), "--source auto"),
        ("ws://127.0.0.1:1/", json!(["::1"]), "--source auto"),
        ("unix:/nothing", json!([]), "Unix socket"),
    ] {
        let line = Engine::load(&json!({
            "format": 2, "url": url, "source_addresses": source,
            "all_source_addresses": source == json!([]),
            "workload": {"kind": "connect", "phases": {"window_s": 1}},
        }))
        .refusal();
        assert!(line.contains(remedy), "{line}");
    }
}

#[test]
fn threads_have_their_own_descriptor_tables_if_one_is_too_small() {
    let (_server, address) = Engine::echo();
    let mut client = Engine::start_with_limit("-n 200", "load --plan -");
    client.send(&json!({
        "format": 2, "url": format!("ws://{address}/echo"), "connections": 390, "threads": 3,
        "workload": {"kind": "echo", "phases": {"window_s": 0.1}},
    }));
    let result = client.complete();
    assert_fields(&result, &json!({"connections": 390, "failures": []}));
}

#[test]
fn more_connections_than_descriptors_or_ports_are_refused_with_the_remedy() {
    let phases = json!({"window_s": 1});
    for (connections, threads, word) in [
        (2_000_000_000, 1, "threads, or raise the limit"),
        (3_000_000, 4096, "source_addresses"),
    ] {
        let line = Engine::load(&json!({
            "format": 2, "url": "ws://127.0.0.1:1/", "connections": connections,
            "threads": threads, "workload": {"kind": "echo", "phases": phases},
        }))
        .refusal();
        assert!(line.contains(word), "{line}");
    }
}

#[test]
fn more_connections_than_fit_into_memory_are_refused_with_the_remedy() {
    let sources: Vec<_> = (0..10_000)
        .map(|number| format!("127.0.{}.{}", 1 + number / 250, 1 + number % 250))
        .collect();
    let finished = Engine::load(&json!({
        "format": 2, "url": "ws://127.0.0.1:1/", "connections": 80_000_000,
        "threads": 4096, "source_addresses": sources,
        "workload": {"kind": "connect", "phases": {"window_s": 1}},
    }))
    .finish();
    assert_eq!(finished.status, Some(2));
    let last = finished.stderr.lines().last().unwrap();
    assert!(last.contains("plan at most"), "{}", finished.stderr);
}

#[test]
fn no_more_connections_are_opened_at_once_than_planned() {
    let (_server, address) = Engine::echo();
    let workload = json!({"kind": "connect", "phases": {"window_s": 0.05}});
    let settings = json!({"connections": 300, "connect_pending_max": 7, "threads": 2});
    let result = exchange(address, &workload, &settings);
    assert_eq!(result["connections"], 300);
    assert_eq!(result["failures"], json!([]));
}
