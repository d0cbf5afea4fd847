//! Tests of `flags/mod.rs`.

use clap::Parser;

use super::*;
use crate::client::LoadPlan;

#[derive(Debug, Parser)]
struct Program {
    #[command(flatten)]
    flags: PlanFlags,
}

fn flags(arguments: &str) -> PlanFlags {
    let arguments = ["program"].into_iter().chain(arguments.split_whitespace());
    Program::try_parse_from(arguments).unwrap().flags
}

fn plan(url: &str, arguments: &str) -> Value {
    let plan = flags(arguments).plan(url).unwrap();
    let checked: LoadPlan = serde_json::from_value(plan.clone()).unwrap();
    checked.check().unwrap();
    plan
}

#[test]
fn a_url_alone_is_a_closed_loop() {
    assert_eq!(
        plan("ws://localhost:1/echo", ""),
        json!({
            "format": FORMAT, "url": "ws://localhost:1/echo", "connections": 10,
            "stop_if_full": true, "connect_timeout_s": 10.0,
            "workload": {
                "kind": "echo",
                "payload": {"text": "hello world", "type": "text", "template": false},
                "reply": {"kind": "next"},
                "phases": {
                    "opening_s": 60.0, "warm_up_s": 2.0, "window_s": 10.0, "drain_s": 5.0,
                },
            },
        })
    );
}

#[test]
fn each_option_has_its_place_in_the_plan() {
    let all = plan(
        "wss://localhost:1",
        "-c 1k -d 30s -r 100..5/s/conn -t 2 --connect-rate 500/s --warm-up 1s --size 64KiB \
         --ping 500ms --binary -H X-Token:secret --cookie a=b --subprotocol chat --compress -k \
         --connect-timeout 500ms --source 127.0.0.2 --resolve 127.0.0.1 --users users.csv --cert c.pem --key k.pem",
    );
    assert_eq!(all["connections"], 1000);
    assert_eq!(all["threads"], 2);
    assert_eq!(all["connect_rate_per_s"], 500.0);
    assert_eq!(all["connect_timeout_s"], 0.5);
    assert_eq!(all["ping_every_ms"], 500);
    assert_eq!(all["workload"]["schedule"]["over_s"], 31.0);
    assert_eq!(
        all["workload"]["payload"],
        json!({"random_bytes": 65536, "type": "binary"})
    );
    assert_eq!(
        all["request"],
        json!({
            "headers": {"X-Token": "secret"}, "cookies": {"a": "b"}, "subprotocols": ["chat"],
        })
    );
    assert_eq!(all["compression"], json!({}));
    assert_eq!(
        all["tls"],
        json!({"insecure": true, "certificate_file": "c.pem", "key_file": "k.pem"})
    );
    assert_eq!(all["resolve"], "127.0.0.1");
    assert_eq!(all["users"], json!({"file": "users.csv"}));
    assert_eq!(all["source_addresses"], json!(["127.0.0.2"]));
    assert_eq!(plan("ws://localhost:1", "-p 8")["workload"]["window"], 8);
    let auto = plan("ws://localhost:1", "--source auto");
    assert_eq!(auto["all_source_addresses"], true);
}

#[test]
fn nothing_is_sent_with_receive() {
    let of = |arguments| plan("ws://localhost:1", arguments)["workload"].clone();
    assert_eq!(of("--receive -d 3s")["phases"]["window_s"], 3.0);
    assert_eq!(of("--receive -n 1m")["messages"], 1_000_000);
    assert_eq!(of("--receive --slow 10%")["slow"]["share"], 0.1);
}

#[test]
fn a_file_is_sent_in_chunks_at_a_pace() {
    let file = std::env::current_exe().unwrap();
    let arguments = format!(
        "-c 4 --message-file {} --chunk 640 --every 20ms",
        file.display()
    );
    let plan = plan("ws://localhost:1", &arguments);
    let workload = &plan["workload"];
    assert_eq!(
        workload["payload"],
        json!({"file": file, "chunk_bytes": 640, "type": "binary", "template": false})
    );
    let schedule = json!({"kind": "constant", "rate_per_s": 50.0, "per": "connection"});
    assert_eq!(workload["schedule"], schedule);
}

#[test]
fn a_storm_drops_all_connections_again_and_again() {
    let storm = &plan("ws://localhost:1", "--storm 2s")["workload"];
    assert_eq!(
        (&storm["kind"], &storm["every_ms"]),
        (&json!("reconnect"), &json!(2000))
    );
    assert_eq!(flags("--storm 2s").in_flight(), None);
}

#[test]
fn the_scheme_decides_on_the_protocol() {
    assert_eq!(
        plan("http://localhost:1", "")["protocol"],
        json!({"kind": "socket-io"})
    );
    assert_eq!(
        plan("tcp://localhost:1", "")["protocol"]["kind"],
        "framed-tcp"
    );
    assert!(flags("").plan("localhost:1").is_err());
}

/// Returns an argument for each option of the tables.
fn argument(name: &str) -> String {
    let value = match name {
        "--rate" => "5/s",
        "--pipeline" | "--messages" | "--size" | "--chunk" => "5",
        "--duration" | "--warm-up" | "--every" | "--storm" => "5s",
        "--slow" => "10%",
        "--reply" => "next",
        "--proxy" => "http://localhost:1",
        "--resolve" => "127.0.0.1",
        "--message" | "--message-file" | "--event" | "--ca" | "--cert" | "--key" => "text",
        _ => "",
    };
    format!("{name} {value}")
}

#[test]
fn options_that_contradict_each_other_are_refused_in_one_line() {
    for (one, other, why) in conflicts::CONFLICTS {
        let both = format!("{} {}", argument(one), argument(other));
        let error = flags(&both)
            .plan("wss://localhost:1")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(one) && error.contains(other),
            "{both}: {error}"
        );
        assert!(
            error.contains(why) && !error.contains('\n'),
            "{both}: {error}"
        );
    }
    for (one, other) in conflicts::NEEDED {
        let error = flags(&argument(one)).plan("ws://localhost:1").unwrap_err();
        assert_eq!(error.to_string(), format!("{one} needs {other}: add it"));
    }
}

#[test]
fn a_reply_is_declared() {
    let of = |arguments| plan("ws://localhost:1", arguments)["workload"].clone();
    assert_eq!(of("--reply json:$.a[0]")["reply"]["path"], "$.a[0]");
    assert_eq!(of("--reply prefix:8")["reply"]["bytes"], 8);
    assert_eq!(
        of("--reply regex:id=(\\d+):")["reply"]["pattern"],
        "id=(\\d+):"
    );
    assert_eq!(of("--reply none -r 5/s")["reply"]["kind"], "none");
    let timed = of("--reply time:$.t --receivers 2 -r 5/s");
    assert_eq!(timed["reply"]["receivers"], 2);
    assert_eq!(of("-m {{seq}}")["payload"]["template"], true);
    assert_eq!(of("-m {{seq}} --reply same")["payload"]["template"], false);
    assert_eq!(of("-n 1k")["messages"], 1000);
}

#[test]
fn a_connect_rate_is_constant() {
    for rate in ["5/s/conn", "1..5/s", "poisson:5/s"] {
        let plan = flags(&format!("--connect-rate {rate}")).plan("ws://localhost:1");
        assert!(plan.is_err(), "{rate}");
    }
}
