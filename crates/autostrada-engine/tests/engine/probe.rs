//! `probe` on this machine, and in a network namespace without loopback.

use std::process::Command;

use serde_json::Value;

use crate::process::{Engine, assert_contains};

fn probe() -> Value {
    let finished = Engine::start(&["probe"]).finish();
    assert_eq!((finished.status, finished.stderr.as_str()), (Some(0), ""));
    let [line] = finished.lines.try_into().expect("one line");
    line
}

#[test]
fn all_limits_of_this_machine_are_printed_in_one_line() {
    let line = probe();
    assert_eq!(line["event"], "machine");
    for key in ["loopback_bytes_per_s", "system_calls_per_s"] {
        let rate = |name: &str| line[key][name].as_u64().unwrap();
        assert!(rate("lowest") > 0, "{line}");
        assert!(rate("lowest") <= rate("median") && rate("median") <= rate("highest"));
    }
    let buckets = line["timer_lateness_ns"].as_array().unwrap();
    let sleeps: u64 = buckets
        .iter()
        .map(|bucket| bucket[1].as_u64().unwrap())
        .sum();
    assert!((1..=1_000).contains(&sleeps), "{line}");
    for key in ["steal_share", "other_utilization"] {
        let share = line[key].as_f64();
        assert!(
            share.is_none_or(|share| (0.0..=1.0).contains(&share)),
            "{line}"
        );
    }
    assert!(line["cores"].as_u64().unwrap() >= 1);
}

#[test]
fn without_loopback_one_line_names_the_remedy() {
    // A network namespace without interfaces; skipped if the machine does not allow one.
    let unshare = ["--user", "--map-root-user", "--net", "--"];
    let allowed = Command::new("unshare").args(unshare).arg("true").output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        return;
    }
    let engine = env!("CARGO_BIN_EXE_autostrada-engine");
    let mut program = Command::new("unshare");
    let finished = Engine::start_by(program.args(unshare).arg(engine), &["probe"]).finish();
    assert_eq!(finished.status, Some(1), "{}", finished.stderr);
    assert!(finished.lines.is_empty());
    assert_eq!(finished.stderr.lines().count(), 1, "{}", finished.stderr);
    assert_contains(&finished.stderr, &["ip link set lo up"]);
}
