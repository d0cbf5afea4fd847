//! Tests of `message_faults.rs`.

use super::*;
use autostrada_proto::frame::Opcode;

fn faults(settings: &str) -> MessageFaults {
    MessageFaults::new(&serde_json::from_str(&format!("{{{settings}}}")).unwrap())
}

fn message(text: &str) -> Message {
    Message {
        opcode: Opcode::Text,
        payload: text.as_bytes().to_vec(),
    }
}

/// The messages sent for each of a0, b0, c0, …; those for one message are joined without spaces.
fn sent(faults: &mut MessageFaults, messages: u8) -> String {
    let mut sent = Vec::new();
    for letter in b'a'..b'a' + messages {
        let mut out = VecDeque::new();
        faults.push(message(&format!("{}0", char::from(letter))), &mut out);
        sent.push(text_of(out));
    }
    sent.join(" ")
}

/// `a` for a0, `A` for a corrupted a0.
fn text_of(messages: VecDeque<Message>) -> String {
    let letter = |one: Message| {
        let letter = char::from(one.payload[0]);
        if one.payload[1] == b'0' {
            letter
        } else {
            letter.to_ascii_uppercase()
        }
    };
    messages.into_iter().map(letter).collect()
}

fn finished(faults: &mut MessageFaults) -> String {
    let mut out = VecDeque::new();
    faults.finish(&mut out);
    text_of(out)
}

#[test]
fn without_faults_each_message_goes_on_at_once() {
    assert_eq!(sent(&mut faults(""), 4), "a b c d");
}

#[test]
fn each_fault_affects_every_nth_message() {
    for (settings, expected) in [
        (r#""lose_every": 3"#, "a b  d e  g"),
        (r#""corrupt_every": 3"#, "a b C d e F g"),
        (r#""repeat_every": 3"#, "a b cc d e ff g"),
        (r#""swap_every": 3"#, "a b  dc e  gf"),
        (r#""burst": 3"#, "  abc   def "),
    ] {
        assert_eq!(sent(&mut faults(settings), 7), expected, "{settings}");
    }
}

#[test]
fn faults_are_applied_in_their_order() {
    for (settings, expected) in [
        (r#""lose_every": 2, "corrupt_every": 2"#, "a  c  e "),
        (r#""lose_every": 3, "repeat_every": 2"#, "a bb  dd e "),
        (r#""corrupt_every": 2, "repeat_every": 2"#, "a BB c DD e FF"),
        (r#""corrupt_every": 2, "swap_every": 2"#, "a  cB  eD "),
        (r#""repeat_every": 2, "swap_every": 2"#, "a  cbb  edd "),
        (r#""repeat_every": 3, "swap_every": 2"#, "a  ccb  ed "),
        (r#""swap_every": 2, "burst": 2"#, "  ac  be "),
        (r#""repeat_every": 2, "burst": 2"#, " ab bc dd  ef"),
        (r#""lose_every": 2, "burst": 2"#, "  ac   "),
    ] {
        assert_eq!(sent(&mut faults(settings), 6), expected, "{settings}");
    }
}

#[test]
fn the_next_sent_message_overtakes_and_is_not_overtaken_itself() {
    let settings = r#""lose_every": 3, "swap_every": 2"#;
    assert_eq!(sent(&mut faults(settings), 8), "a   db e  g ");
}

#[test]
fn held_messages_are_released_at_the_end() {
    let mut swap = faults(r#""swap_every": 2"#);
    assert_eq!(sent(&mut swap, 2), "a ");
    assert_eq!(finished(&mut swap), "b");
    assert_eq!(finished(&mut swap), "");
    let mut both = faults(r#""swap_every": 4, "burst": 5"#);
    assert_eq!(sent(&mut both, 4), "   ");
    assert_eq!(finished(&mut both), "abcd");
}

#[test]
fn an_incomplete_burst_is_sent_when_it_takes_too_much_memory() {
    let mut faults = faults(r#""burst": 1000"#);
    let large = "x".repeat(BURST_BYTES_MAX / 2);
    let mut out = VecDeque::new();
    faults.push(message(&large), &mut out);
    assert_eq!(out.len(), 0);
    faults.push(message(&large), &mut out);
    assert_eq!(out.len(), 2);
    faults.push(message(&large), &mut out);
    assert_eq!(out.len(), 2, "the next burst starts empty");
}
