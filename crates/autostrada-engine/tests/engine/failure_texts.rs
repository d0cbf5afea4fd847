//! What `load` says about failures, and what to do about them.

use autostrada_proto::close::Close;
use autostrada_proto::frame::Opcode;

use crate::process::{Printed, assert_contains, load, words};
use crate::raw_server::{Peer, accept_all, serve_one};
use crate::tls::Certificates;

/// Returns all that was printed, in one line with single blanks.
fn all_text(ended: &Printed) -> String {
    let words = ended.stdout.split_whitespace();
    let words = words.chain(ended.stderr.split_whitespace());
    words.collect::<Vec<_>>().join(" ")
}

/// Loads a server that closes its connection with this reason; returns what was printed.
fn closed(reason: &'static str) -> String {
    let (address, server) = serve_one(move |mut peer: Peer| {
        let mut payload = Vec::new();
        Close { code: 1008, reason }.encode(&mut payload);
        peer.send(Opcode::Close, &payload);
        peer.read_close();
    });
    let ended = load(&[&format!("ws://{address}/"), "-c", "1", "--receive"]);
    server.join().unwrap();
    all_text(&ended)
}

#[test]
fn the_reason_of_a_close_frame_is_shown_without_control_characters() {
    let text = closed("token expired");
    assert_contains(&text, &["closed with code 1008: token expired"]);
    let text = closed("it's \u{1b}[2J\u{202e}grüezi");
    assert_contains(&text, &[r"1008: it's \u{1b}[2J\u{202e}grüezi"]);
    let text = closed("");
    assert!(text.contains("closed with code 1008"), "{text}");
    assert!(!text.contains("1008:"), "{text}");
    let long = Box::leak("x".repeat(123).into_boxed_str());
    let text = closed(long);
    assert!(text.contains(&format!("{}…", "x".repeat(100))), "{text}");
    assert!(!text.contains(&"x".repeat(101)), "{text}");
}

#[test]
fn messages_without_answers_are_not_taken_for_a_handshake_without_one() {
    let address = accept_all(|_, stream| {
        let mut peer = Peer::handshake(stream);
        peer.write(&[]);
        peer.read_text();
        peer.read_close();
        peer.close_with(1000);
    });
    let url = format!("ws://{address}/");
    let ended = load(&[&url, "-c", "2", "-d", "100ms", "--warm-up", "0s"]);
    let text = all_text(&ended);
    assert_contains(&text, &["2 × timeout: a message was not answered"]);
    assert!(text.contains("--reply"), "{text}");
    assert!(!text.contains("opening request"), "{text}");
}

#[test]
fn each_fault_of_a_certificate_has_its_remedy() {
    let certificates = Certificates::new("remedies");
    let ca = certificates.file("ca.pem");
    let ca = ca.to_str().unwrap();
    let (_server, address) = certificates.serve();
    let url = format!("wss://{address}/echo");
    let text = all_text(&load(&[&url, "-c", "1"]));
    assert_contains(&text, &["UnknownIssuer", "--ca FILE"]);
    let other = format!("wss://example.test:{}/echo", address.port());
    let text = all_text(&load(&words(&format!(
        "{other} -c 1 --ca {ca} --resolve 127.0.0.1"
    ))));
    assert!(text.contains("a name that the certificate has"), "{text}");
    assert!(
        text.contains("--resolve") && !text.contains("--ca FILE"),
        "{text}"
    );
    let expired = Certificates::expired("expired");
    let (_server, address) = expired.serve();
    let ca = expired.file("ca.pem");
    let url = format!("wss://{address}/echo");
    let text = all_text(&load(&[&url, "-c", "1", "--ca", ca.to_str().unwrap()]));
    assert!(text.contains("renew the server's certificate"), "{text}");
    assert!(text.contains("-k") && !text.contains("--ca FILE"), "{text}");
}

#[test]
fn a_name_that_cannot_be_resolved_is_no_malformed_address() {
    let ended = load(&["ws://nowhere.invalid:8080/", "-c", "1"]);
    let text = all_text(&ended);
    assert_eq!(ended.status, Some(2), "{text}");
    assert_contains(
        &text,
        &[r#"host name "nowhere.invalid" cannot be resolved"#],
    );
    assert!(!text.contains("valid host:port"), "{text}");
    let text = all_text(&load(&["ws://localhost:99999/", "-c", "1"]));
    assert!(text.contains("a port is at most 65535"), "{text}");
}
