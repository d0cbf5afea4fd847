//! `load` with options: the end screen, the result as a file, and refused options.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use autostrada_net::clock;
use serde_json::{Value, json};

use crate::process::{Engine, LIMIT, assert_contains, echo_server, load, words};

/// Loads with options that are refused; returns the one line on stderr.
fn refusal(arguments: &[&str]) -> String {
    let ended = load(arguments);
    let stderr = ended.stderr;
    assert_eq!(ended.status, Some(2), "{arguments:?}: {stderr}");
    assert!(ended.stdout.is_empty());
    assert_eq!(stderr.lines().count(), 1, "{arguments:?}: {stderr}");
    stderr
}

#[test]
fn a_url_is_loaded_and_its_result_fits_the_screen() {
    let (_server, url) = echo_server();
    let screen = load(&[&url, "-c", "4", "-d", "300ms", "--warm-up", "100ms"]).screen();
    assert!(
        screen.starts_with(&format!("{url}: 4 connections\n")),
        "{screen}"
    );
    for name in [
        "answered ",
        "response time ",
        "connections ",
        "bytes ",
        "failures ",
        "limit ",
    ] {
        assert!(screen.contains(&format!("\n{name}")), "{name}: {screen}");
    }
    assert!(screen.lines().count() <= 40);
    assert!(screen.contains("4 opened"), "{screen}");
}

#[test]
fn the_rate_of_each_connection_is_multiplied_first() {
    let (_server, url) = echo_server();
    let load = load(&words(&format!(
        "{url} -c 20 -d 500ms --warm-up 0s -r 50/s/conn"
    )));
    let screen = load.screen();
    assert_contains(&screen, &[": 20 connections × 50/s = 1,000/s\n"]);
    assert!(screen.contains("since sent"), "{screen}");
}

#[test]
fn the_result_is_written_to_a_file_or_to_stdout() {
    let (_server, url) = echo_server();
    let file = std::env::temp_dir().join(format!("load-options-{}.json", std::process::id()));
    let path = file.to_str().unwrap();
    let arguments = [&url, "-d", "100ms", "--warm-up", "0s", "--json"];
    let screen = load(&[&arguments[..], &[path]].concat()).screen();
    let written: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    std::fs::remove_file(path).unwrap();
    assert!(screen.contains("answered"));
    assert_eq!(written["connections"], 10);
    let document = load(&[&arguments[..], &["-"]].concat()).screen();
    let printed: Value = serde_json::from_str(&document).unwrap();
    assert_eq!(printed["ended"], "complete");
    let line = refusal(&[&arguments[..], &["/nowhere/result.json"]].concat());
    assert!(line.contains("/nowhere/result.json"), "{line}");
}

#[test]
fn no_value_of_a_user_is_printed() {
    let (_server, url) = echo_server();
    let file = std::env::temp_dir().join(format!("load-users-{}.csv", std::process::id()));
    let path = file.to_str().unwrap();
    let load = |users: &str, part: &str| {
        std::fs::write(&file, users).unwrap();
        let header = format!("X-Token: {part}");
        load(&[
            &url, "--users", path, "-H", &header, "-n", "3", "--json", "-",
        ])
    };
    let canary = "canary-5f3a";
    let ended = load(&format!("token\n{canary}\n"), "{{token}}");
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    assert!(!format!("{ended:?}").contains(canary), "{ended:?}");
    let ended = load(&format!("token\na\n\"{canary}\nb\"\n"), "{{token}}");
    let log = ended.stderr;
    assert_eq!(ended.status, Some(2), "{log}");
    assert!(log.contains("user 2") && !log.contains(canary), "{log}");
    let auth = "{\"token\":\"{{token}}\"}";
    std::fs::write(&file, format!("token\na\n\"{canary}\"\"\"\n")).unwrap();
    let line = refusal(&["http://127.0.0.1:1/", "--users", path, "--auth", auth]);
    assert!(line.contains("user 2") && !line.contains(canary), "{line}");
    let ended = load("token\na\n", "{{name}}");
    let log = ended.stderr;
    assert_contains(&log, &["{{name}} is unknown", "{{token}}"]);
    std::fs::remove_file(file).unwrap();
}

#[test]
fn a_server_is_reached_at_another_address() {
    let (_server, url) = echo_server();
    let url = url.replace("127.0.0.1", "nowhere.test");
    load(&[&url, "--resolve", "127.0.0.1", "-n", "3"]).screen();
}

#[test]
fn a_storm_reports_how_soon_connections_were_open_again() {
    let (_server, url) = echo_server();
    let screen = load(&[&url, "--storm", "100ms", "-d", "500ms", "--warm-up", "0s"]).screen();
    assert_contains(&screen, &["\nreconnected ", "\n  after "]);
}

#[test]
fn metrics_are_served_while_it_runs() {
    let (_server, url) = echo_server();
    let engine = Engine::start(&["load", &url, "-d", "1h", "--prometheus", "127.0.0.1:0"]);
    let line = engine.wait_for_log("metrics: ");
    let address = line.split('/').nth(2).unwrap();
    let metrics = || {
        let mut client = TcpStream::connect(address).unwrap();
        client.set_read_timeout(Some(LIMIT)).unwrap();
        client
            .write_all(b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        answer
    };
    assert!(metrics().starts_with("HTTP/1.1 200 OK\r\n"));
    // After the line of the first second its messages are counted.
    engine.wait_for_log("   1 s ");
    let answer = metrics();
    let count = answer
        .lines()
        .find_map(|each| each.strip_prefix("autostrada_messages_total "));
    assert!(count.unwrap().parse::<u64>().unwrap() > 0, "{answer}");
}

#[test]
fn an_option_overrides_an_earlier_one_and_fields_add_up() {
    let arguments = [
        "ws://127.0.0.1:1/",
        "-c",
        "5",
        "--connections=7",
        "-H",
        "A: 1",
        "-H",
        "B: 2",
    ];
    let printed = load(&[&arguments[..], &["--print-plan"]].concat()).screen();
    let plan: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(plan["connections"], 7);
    assert_eq!(plan["request"]["headers"], json!({"A": "1", "B": "2"}));
}

#[test]
fn a_printed_plan_can_be_read_again() {
    let (_server, url) = echo_server();
    let printed = load(&[&url, "-d", "100ms", "--warm-up", "0s", "--print-plan"]).screen();
    let plan: Value = serde_json::from_str(&printed).unwrap();
    let mut engine = Engine::load(&plan);
    engine.ready();
    assert_eq!(engine.result()["connections"], 10);
}

#[test]
fn nothing_measured_has_its_own_status() {
    let ended = load(&["ws://127.0.0.1:1/", "-d", "100ms", "--warm-up", "0s"]);
    let screen = ended.stdout;
    assert_eq!(ended.status, Some(1), "{screen}");
    assert!(screen.contains("10 × connect: "), "{screen}");
    assert!(screen.contains("start the server"), "{screen}");
    let log = ended.stderr;
    assert_eq!(
        log,
        "autostrada-engine: nothing was measured: no connection opened\n"
    );
    let log = load(&["ws://127.0.0.1:1/", "-d", "100ms", "--json", "-"]).stderr;
    assert_contains(
        &log,
        &[
            "nothing was measured: Connection refused",
            "start the server",
        ],
    );
}

#[test]
fn the_process_of_the_server_is_watched() {
    let (server, url) = echo_server();
    let pid = server.pid().to_string();
    let screen = load(&[&url, "-d", "2s", "--warm-up", "0s", "--watch", &pid]).screen();
    assert_contains(&screen, &["\nserver ", " of a core, "]);
}

/// Returns an address on which nothing listens, and from which no other test connects.
fn free_address() -> String {
    let listener = TcpListener::bind("127.77.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

#[test]
fn the_command_of_a_server_is_started_measured_and_stopped() {
    let address = free_address();
    let ended = std::env::temp_dir().join(format!("load-ended-{}", std::process::id()));
    // The outer shell ends at once, the inner one later, as a server that stores its state does.
    let command = format!(
        "sh -c 'trap : TERM; {} serve --listen {address}; sleep 0.3; echo > {}'; exit",
        env!("CARGO_BIN_EXE_autostrada-engine"),
        ended.display()
    );
    let url = format!("ws://{address}/echo");
    let short = [&url, "-d", "1s", "--warm-up", "0s", "--watch-command"];
    let screen = load(&[&short[..], &[&command]].concat()).screen();
    assert!(screen.contains(" of a core, "), "{screen}");
    std::fs::remove_file(&ended).expect("the server is waited for");
    assert!(
        TcpStream::connect(&address).is_err(),
        "the server is running"
    );
}

#[test]
fn a_server_that_does_not_listen_is_reported_with_its_last_words() {
    let address = free_address();
    let url = format!("ws://{address}/echo");
    let ended = load(&[&url, "--watch-command", "echo no port; exit 3"]);
    let log = ended.stderr;
    assert_eq!(ended.status, Some(1), "{log}");
    assert_eq!(log.lines().count(), 1, "{log}");
    for part in ["--watch-command", "exit status: 3", &address, ": no port"] {
        assert!(log.contains(part), "{part}: {log}");
    }
    let (_server, url) = echo_server();
    let log = load(&[&url, "--watch-command", "true"]).stderr;
    assert_contains(&log, &["listens at ", "stop it first"]);
}

#[test]
fn a_started_server_ends_with_a_killed_load() {
    let address = free_address();
    let engine = env!("CARGO_BIN_EXE_autostrada-engine");
    let command = format!("{engine} serve --listen {address}");
    let url = format!("ws://{address}/echo");
    let load = Engine::start(&["load", &url, "-d", "1h", "--watch-command", &command]);
    load.wait_for_log("   1 s ");
    // It is killed.
    drop(load);
    let give_up_at = clock::now() + u64::try_from(LIMIT.as_nanos()).unwrap();
    while TcpStream::connect(&address).is_ok() {
        assert!(clock::now() < give_up_at, "the server is running");
        std::thread::yield_now();
    }
}

#[test]
fn metrics_are_written_as_tables() {
    let (_server, url) = echo_server();
    let short = [&url, "-d", "200ms", "--warm-up", "0s"];
    let table = load(&[&short[..], &["--csv", "-"]].concat()).screen();
    assert!(table.starts_with("rate_per_s,achieved_share,"), "{table}");
    assert_eq!(table.lines().count(), 2);
    let table = load(&[&short[..], &["--markdown", "-"]].concat()).screen();
    assert_contains(&table, &["| connections opened (`connections`) | 10 |"]);
    let line = refusal(&[&short[..], &["--csv", "-", "--json", "-"]].concat());
    assert!(line.contains("only one of "), "{line}");
}

#[test]
fn secrets_are_neither_printed_nor_written() {
    let secret = "canary-5f1c";
    let header = format!("Authorization: Bearer {secret}");
    let cookie = format!("session={secret}");
    let (_server, url) = echo_server();
    for url in [&url, "ws://127.0.0.1:1/"] {
        let url = format!("{url}?token={secret}");
        let secrets = [&url, "-H", &header, "--cookie", &cookie];
        let short = ["-d", "200ms", "--warm-up", "0s", "--plain"];
        for document in [&["--json", "-"][..], &["--markdown", "-"], &[]] {
            let ended = load(&[&secrets[..], &["--on-open", secret], &short, document].concat());
            assert!(ended.stderr.contains("127.0.0.1") || !ended.stdout.is_empty());
            assert!(!format!("{ended:?}").contains(secret), "{ended:?}");
        }
    }
}

#[test]
fn a_full_disk_is_reported_after_the_result_is_printed() {
    let (_server, url) = echo_server();
    let ended = load(&words(&format!(
        "{url} -d 200ms --warm-up 0s --json /dev/full"
    )));
    assert_eq!(ended.status, Some(1));
    assert!(ended.stdout.contains("answered "));
    assert_contains(&ended.stderr, &["/dev/full"]);
}

#[test]
fn conditions_decide_on_the_status() {
    let (_server, url) = echo_server();
    let short = [&url, "-d", "1s", "--warm-up", "0s"];
    let ended = load(&[&short[..], &["--fail-if", "rate < 1000m/s"]].concat());
    assert_eq!(ended.status, Some(99), "{}", ended.stdout);
    assert_contains(&ended.stderr, &["failed: rate < 1000m/s: rate was "]);
    load(&[&short[..], &["--fail-if", "p99 > 1h"]].concat()).screen();
    let strict = ["--strict", "-r", "100m/s"];
    let ended = load(&[&short[..], &strict].concat());
    assert_eq!(ended.status, Some(3), "{}", ended.stdout);
}

#[test]
fn an_interrupted_load_is_reported_and_not_judged() {
    let (_server, url) = echo_server();
    for (signal, status) in [("-INT", 130), ("-TERM", 143)] {
        let load = format!("load {url} -d 1h --warm-up 0s --fail-if p50>=0s --json -");
        let engine = Engine::start(&words(&load));
        engine.wait_for_log("   1 s ");
        engine.signal(signal);
        let finished = engine.finish();
        assert_eq!(finished.status, Some(status));
        assert_eq!(finished.lines[0]["not_judged"], "the load was interrupted");
    }
}

#[test]
fn options_that_cannot_be_carried_out_are_refused_in_one_line() {
    let (url, socket_io) = ("ws://127.0.0.1:1/", "http://127.0.0.1:1/");
    for (arguments, remedy) in [
        (&[url, "-r", "5"][..], "5/s/conn for each"),
        (&[url, "-p", "2", "-r", "5/s"], "remove one of them"),
        (&[url, "--source", "here"], "nor auto"),
        (
            &[url, "--source", "auto", "--source", "127.0.0.2"],
            "exclude each other",
        ),
        (&[url, "--reply", "none"], "closed loop"),
        (&[url, "-m", "{{time}}"], "{{now_ns}}"),
        (&[url, "-z", "10s"], "--duration"),
        (&[url, "--vus", "10"], "--connections"),
        (&[url, "--colour"], "--help"),
        (&[], "<URL>"),
        (&["localhost"], "ws://host:port/path"),
        (&["ws://192.0.2.1:1/"], "--i-may-load-this"),
        (&["--plan", "/nowhere/plan.json"], "/nowhere/plan.json"),
        (&[url, "-k"], "wss://"),
        (&[url, "--watch", "1000000000"], "--watch 1000000000: "),
        (&[url, "--event", "say"], "http:// or https://"),
        (&[url, "--reply", "ack"], "http:// or https://"),
        (&[socket_io, "--auth", "{\"token\":"], "(--auth): write"),
        (&[socket_io, "--auth", "\"secret\""], "(--auth): write"),
        (&[socket_io, "--on-open", "join"], "(--on-open): write"),
        (&[socket_io, "--on-open", "[\"connect\"]"], "reserved name"),
        (&[socket_io, "-m", "{\"n\":{{seq}}"], "in double quotes"),
    ] {
        let line = refusal(arguments);
        assert!(line.contains(remedy), "{arguments:?}: {line}");
    }
}
