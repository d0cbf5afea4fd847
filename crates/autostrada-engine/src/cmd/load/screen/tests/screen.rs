//! Tests of `screen/mod.rs`.

use serde_json::{Value, json};

use super::super::measurement::Measurement;
use super::super::measurement::tests::measurement;
use super::*;

/// Returns the end screen of a load whose result line was changed.
fn screen(change: impl FnOnce(&mut Value)) -> String {
    screen_of(measurement(|line| {
        line["connections"] = json!(1_000);
        change(line);
    }))
}

fn screen_of(load: Measurement) -> String {
    end_screen(None, &LoadReport::new(load, Vec::new(), &[]))
}

#[test]
fn an_open_loop_has_rates_times_and_the_limit() {
    let screen = screen(|_| {});
    let expected = "\
what was asked

answered        50,000 messages, 5,000/s of 10,000/s offered (50.0 %)
response time   p50 1.02 µs   p90 1.02 µs   p99 1.02 µs
                p99.9 1.05 ms   p99.99 1.05 ms   max 1.05 ms
  since sent    p50 1.02 µs   p90 1.02 µs   p99 1.02 µs
                p99.9 1.02 µs   p99.99 1.02 µs   max 1.02 µs
  a connection  0 to 80 answers, with the warm-up; 3 were never answered
connections     1,000 opened; medians: TCP 102 µs, upgrade 205 µs
bytes           1.23 MB received, 999 B sent
failures        none
limit           not the load generator: its busiest thread used 25.0 % of a core

     < 2.05 µs  ■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■ 99
     < 4.10 µs   0
     < 8.19 µs   0
     < 16.4 µs   0
     < 32.8 µs   0
     < 65.5 µs   0
      < 131 µs   0
      < 262 µs   0
      < 524 µs   0
     < 1.05 ms   0
     < 2.10 ms  ■ 1
";
    assert_eq!(screen, expected);
    assert!(screen.lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn a_rate_that_is_not_steady_is_named() {
    let second_half = |growth: f64| {
        let screen = screen(|line| line["exchange"]["rate_growth"] = json!(growth));
        let line = screen.lines().find(|line| line.contains("not steady"));
        line.map(str::to_owned)
    };
    let expected = "  not steady    1.40 times as many in the second half as in the first: warm up";
    assert_eq!(second_half(1.4).as_deref(), Some(expected));
    let expected = "  not steady    0.70 times as many in the second half as in the first";
    assert_eq!(second_half(0.7).as_deref(), Some(expected));
    assert_eq!(second_half(1.2), None);
}

#[test]
fn without_answers_messages_are_counted() {
    let mut load = measurement(|line| {
        line["exchange"] = Value::Null;
        line["failures"] = json!([{"kind": "read", "count": 3, "example": "reset"}]);
        line["generator_limited"] = json!("its thread was busy");
        line["utilizations"] = json!([0.95]);
    });
    load.server = Some(ServerUsage {
        cpu_utilization: 0.991,
        busiest_thread_share: None,
        resident_bytes_max: 45_300_000,
    });
    let screen = screen_of(load);
    assert!(
        screen.contains("received        12,345 messages, 1,234/s\n"),
        "{screen}"
    );
    assert!(
        screen.contains("failures        3 × read: reset\n"),
        "{screen}"
    );
    let server = "server          99.1 % of a core, 45.3 MB of memory\n";
    assert!(screen.contains(server), "{screen}");
    let limit = "the load generator: its thread was busy; the server may do more\n";
    assert!(screen.contains(limit), "{screen}");
}

#[test]
fn a_broadcast_has_the_deliveries_that_were_due() {
    let deliveries = |change: fn(&mut Value)| {
        let screen = screen(|line| {
            line["exchange"]["deliveries"] = json!({
                "messages": 100, "every": 1, "connections": 40, "receivers_max": 40,
                "receivers": 40, "due": 4000, "lost": 188, "achieved_share": 0.953,
                "last_receiver_time_ns": [], "most_lost": {"connection": 7, "lost": 12},
            });
            change(&mut line["exchange"]["deliveries"]);
        });
        let (_, rest) = screen.split_once("deliveries      ").unwrap();
        let (text, _) = rest.split_once("\nresponse").unwrap();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let known = deliveries(|_| {});
    assert_eq!(
        known,
        "4,000 due, 188 lost (4.70 %); connection 7 lost most, 12"
    );
    let unknown = deliveries(|row| {
        row["receivers_max"] = json!(38);
        row["due"] = Value::Null;
    });
    let expected = "not known how many were due: no message reached all 40 connections, but at \
                    most 38; --receivers 40 says that each is for all";
    assert_eq!(unknown, expected);
}

#[test]
fn a_storm_has_the_time_until_connections_were_open_again() {
    let screen = screen(|line| {
        line["exchange"] = Value::Null;
        line["recovery"] = json!({
            "recovered": 3990, "dropped": 4000, "attempts": 4010, "recovered_ns": null,
            "recovery_time_ns": [[1_048_576, 3990]],
        });
    });
    let expected = "\
reconnected     3,990 of 4,000 dropped, in 4,010 attempts
  after         p50 1.05 ms";
    assert!(screen.contains(expected), "{screen}");
}

#[test]
fn long_texts_are_broken_between_words() {
    let reason = "its only thread was busy for 99.5 % of the window, and it was late";
    let screen = screen(|line| {
        line["generator_limited"] = json!(reason);
        line["utilizations"] = json!([0.95]);
    });
    assert!(
        screen.lines().all(|line| line.chars().count() <= 80),
        "{screen}"
    );
    let end = "99.5 % of the\n                window, and it was late; the server may do more\n";
    assert!(screen.contains(end), "{screen}");
    assert_eq!(named("", &"x".repeat(100), 80).len(), 1);
}
