//! Invalid plans and flags: one line that names the remedy, exit status 2.

use std::net::TcpListener;
use std::process::Command;

use serde_json::json;

use crate::process::{Engine, assert_contains};

/// Starts the engine with an invalid plan; returns its one line on stderr.
fn refusal(arguments: &[&str], stdin: &str) -> String {
    let mut engine = Engine::start(arguments);
    engine.send_text(stdin);
    engine.end_stdin();
    let line = engine.refusal();
    assert!(line.starts_with("autostrada-engine: "));
    line
}

const LOADING: &[&str] = &["load", "--plan", "-"];

const LOAD: &str =
    r#"{"format": 2, "url": "ws://h/1", "workload": {"kind": "receive", "messages": 1}"#;
const PUSH: &str = r#"{"format": 2, "workload": {"kind": "push"}"#;

#[test]
fn a_missing_plan_is_refused_with_the_remedy() {
    for arguments in [LOADING, &["observe"], &["serve", "--plan"]] {
        assert!(refusal(arguments, "").contains("docs/format.md"));
    }
}

#[test]
fn an_incomplete_plan_is_refused() {
    assert!(refusal(LOADING, LOAD).contains("stdin: EOF"));
    assert!(refusal(&["serve", "--plan"], PUSH).contains("stdin: EOF"));
}

#[test]
fn an_invalid_plan_is_refused() {
    assert!(refusal(LOADING, "hello").contains("stdin: expected value"));
    assert!(refusal(&["serve", "--plan"], "[]").contains("stdin: "));
}

#[test]
fn an_unknown_key_is_named() {
    assert!(refusal(LOADING, &format!("{LOAD}, \"colour\": 1}}")).contains("`colour`"));
    let line = refusal(&["serve", "--plan"], &format!("{PUSH}, \"colour\": 1}}"));
    assert!(line.contains("`colour`"));
}

#[test]
fn an_unknown_workload_is_named() {
    let plan = LOAD.replace("receive", "admire");
    assert!(refusal(LOADING, &format!("{plan}}}")).contains("`admire`"));
}

#[test]
fn an_unsupported_format_names_both_versions() {
    let line = refusal(
        LOADING,
        &format!("{}}}", LOAD.replace("\"format\": 2", "\"format\": 1")),
    );
    assert_contains(&line, &["format 2", "format 1"]);
    let plan = PUSH.replace("\"format\": 2", "\"format\": 1");
    assert!(refusal(&["serve", "--plan"], &format!("{plan}}}")).contains("format 1"));
    let plan = r#"{"format": 1, "processes": {"one": 1}}"#;
    assert!(refusal(&["observe"], plan).contains("format 1"));
}

#[test]
fn an_invalid_url_is_named() {
    let plan = LOAD.replace("ws://h/1", "http://h/1");
    assert!(refusal(LOADING, &format!("{plan}}}")).contains("\"http://h/1\""));
}

#[test]
fn a_port_in_use_is_named() {
    let holder = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = holder.local_addr().unwrap().to_string();
    assert!(refusal(&["serve", "--listen", &address], "").contains(&address));
    let plan = json!({"format": 2, "listen": address, "workload": {"kind": "push"}});
    assert!(refusal(&["serve", "--plan"], &plan.to_string()).contains(&address));
}

#[test]
fn an_unknown_command_is_a_usage_error() {
    assert!(refusal(&["admire"], "").contains("admire"));
}

#[test]
fn an_invalid_command_after_the_plan_ends_the_server_with_one_line() {
    let (mut engine, _) = Engine::echo();
    engine.send(&json!({"admire": {}}));
    let finished = engine.finish();
    assert!(finished.stderr.contains("`admire`"), "{}", finished.stderr);
    assert_eq!(finished.stderr.lines().count(), 1);
}

#[test]
fn the_version_names_the_commit_of_the_build() {
    let output = Command::new(env!("CARGO_BIN_EXE_autostrada-engine"))
        .arg("--version")
        .output()
        .unwrap();
    let expected = concat!("autostrada-engine ", env!("AUTOSTRADA_VERSION"), "\n");
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    assert!(expected.contains(env!("CARGO_PKG_VERSION")));
}
