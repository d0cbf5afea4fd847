//! `load` with `reply`: what answers a message.

use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::process::{Engine, assert_fields, load};
use crate::raw_server::{Peer, frame, serve_one};

/// Loads a scripted server with one connection; returns the result.
fn result(workload: &Value, script: impl FnOnce(Peer) + Send + 'static) -> Value {
    let (address, server) = serve_one(|mut peer| {
        // The opening handshake.
        peer.write(&[]);
        script(peer);
    });
    let mut plan = json!({
        "format": 2, "url": format!("ws://{address}/"), "workload": workload,
    });
    plan["workload"]["kind"] = json!("echo");
    plan["workload"]["phases"] = json!({"window_s": 3600});
    let result = Engine::load(&plan).complete();
    server.join().unwrap();
    result
}

/// Loads a scripted server without failures; returns the result's `exchange`.
fn exchange(workload: &Value, script: impl FnOnce(Peer) + Send + 'static) -> Value {
    let result = result(workload, script);
    assert_eq!(result["failures"], json!([]), "{result}");
    assert_eq!(result["ended"], "complete");
    result["exchange"].clone()
}

/// Asserts that no message was taken for an answer; returns why.
fn distrust(result: &Value) -> &str {
    let failure = &result["failures"][0];
    assert_fields(failure, &json!({"kind": "mismatch", "count": 1}));
    assert_eq!(result["exchange"]["completed"], 0);
    assert_eq!(result["exchange"]["response_time_ns"], json!([]));
    failure["example"].as_str().unwrap()
}

fn close(mut peer: Peer) {
    peer.read_close();
    peer.close_with(1000);
}

#[test]
fn the_first_messages_of_a_connection_precede_those_that_are_answered() {
    let (address, server) = serve_one(|mut peer| {
        peer.write(&[]);
        for expected in ["subscribe 0", "to all", "a"] {
            assert_eq!(peer.read_text(), expected);
        }
        peer.send(Opcode::Text, b"b");
        close(peer);
    });
    let ended = load(&[
        &format!("ws://{address}/"),
        "--on-open",
        "subscribe {{connection}}",
        "--on-open=to all",
        "-c1",
        "-n1",
        "-ma",
    ]);
    server.join().unwrap();
    ended.screen();
}

#[test]
fn what_a_server_also_sends_makes_the_next_message_no_answer() {
    let workload = json!({"messages": 3, "payload": {"text": "a"}, "reply": {"kind": "next"}});
    let result = result(&workload, |mut peer| {
        for _ in 0..3 {
            peer.read_text();
            // One write, so that they are read at once.
            peer.write(&frame(Opcode::Text, b"to all").repeat(3));
        }
        close(peer);
    });
    let why = distrust(&result);
    assert!(why.contains("say what is (--reply until:"), "{why}");
}

#[test]
fn more_messages_than_were_sent_make_the_next_message_no_answer() {
    let workload = json!({"messages": 5, "payload": {"text": "a"}, "reply": {"kind": "next"}});
    let result = result(&workload, |mut peer| {
        // Each message is read before the next one is sent, so that none comes together with another.
        for _ in 0..5 {
            peer.read_text();
            peer.send(Opcode::Text, b"word");
        }
        // The rest of five answers of twenty words each.
        for _ in 0..95 {
            peer.send(Opcode::Text, b"word");
        }
        close(peer);
    });
    let why = distrust(&result);
    assert!(
        why.starts_with("more messages came than were sent"),
        "{why}"
    );
    for remedy in ["until:", "json:", "--receive", "--reply none"] {
        assert!(why.contains(remedy), "{why}");
    }
}

#[test]
fn answers_that_come_together_are_answers() {
    let workload = json!({
        "messages": 640, "window": 64, "payload": {"text": "a"}, "reply": {"kind": "next"},
    });
    let exchange = exchange(&workload, |mut peer| {
        for _ in 0..10 {
            for _ in 0..64 {
                peer.read_text();
            }
            peer.write(&frame(Opcode::Text, b"b").repeat(64));
        }
        close(peer);
    });
    assert_fields(&exchange, &json!({"completed": 640, "others": 0}));
}

#[test]
fn answers_are_found_by_their_identifier() {
    let workload = json!({
        "messages": 6, "window": 3, "reply": {"kind": "json", "path": "$.id"},
        "payload": {"text": r#"{"id":{{seq}},"op":"add"}"#, "template": true},
    });
    let exchange = exchange(&workload, |mut peer| {
        for first in [0, 3] {
            for id in first..first + 3 {
                assert_eq!(peer.read_text(), format!(r#"{{"id":{id},"op":"add"}}"#));
            }
            for id in (first..first + 3).rev() {
                peer.send(Opcode::Text, br#"{"event":"tick"}"#);
                let answer = json!({"result": true, "id": id});
                peer.send(Opcode::Text, answer.to_string().as_bytes());
            }
        }
        close(peer);
    });
    assert_fields(&exchange, &json!({"completed": 6, "others": 6}));
    let answers = &exchange["answers_per_connection"];
    assert_fields(answers, &json!({"least": 6, "most": 6}));
}

#[test]
fn without_a_reply_messages_are_only_sent() {
    let workload = json!({
        "messages": 5, "reply": {"kind": "none"}, "payload": {"text": "{{connection}}/{{uuid}}", "template": true},
        "schedule": {"kind": "constant", "rate_per_s": 1000},
    });
    let exchange = exchange(&workload, |mut peer| {
        let texts: Vec<_> = (0..5).map(|_| peer.read_text()).collect();
        assert!(
            texts
                .iter()
                .all(|text| text.starts_with("0/") && text.len() == 38),
            "{texts:?}"
        );
        assert_ne!(texts[0], texts[1]);
        close(peer);
    });
    assert_fields(&exchange, &json!({"sent": 5, "echoed": 0}));
    assert_eq!(exchange["achieved_share"], Value::Null);
    assert_eq!(exchange["backlog"]["unanswered"], 0);
}

#[test]
fn pings_are_timed_beside_messages() {
    let (address, server) = serve_one(|mut peer| {
        peer.write(&[]);
        let mut pings = 0;
        while let Some(payload) = peer.read_ping() {
            pings += 1;
            peer.send(Opcode::Pong, &payload);
            // An unsolicited pong is allowed, and answers nothing.
            peer.send(Opcode::Pong, b"");
        }
        peer.close_with(1000);
        pings
    });
    let result = Engine::load(&json!({
        "format": 2, "url": format!("ws://{address}/"), "ping_every_ms": 50,
        "workload": {"kind": "receive", "phases": {"window_s": 0.5}},
    }))
    .complete();
    let pings = &result["pings"];
    let sent = pings["sent"].as_u64().unwrap();
    assert!(sent > 0, "{result}");
    assert_eq!(pings["answered"], sent);
    assert_eq!(server.join().unwrap(), sent);
}

#[test]
fn several_messages_answer_one_until_one_matches() {
    let workload = json!({
        "messages": 2, "payload": {"text": "prompt"}, "reply": {"kind": "until", "pattern": "^end$"},
    });
    let exchange = exchange(&workload, |mut peer| {
        for _ in 0..2 {
            assert_eq!(peer.read_text(), "prompt");
            for part in ["one", "two", "end"] {
                peer.send(Opcode::Text, part.as_bytes());
            }
        }
        close(peer);
    });
    let count = |key: &str| -> u64 {
        let buckets = exchange[key].as_array().unwrap().iter();
        buckets.map(|bucket| bucket[1].as_u64().unwrap()).sum()
    };
    assert_eq!(exchange["completed"], 2);
    assert_eq!(
        (count("first_message_time_ns"), count("message_gap_ns")),
        (2, 4)
    );
}
