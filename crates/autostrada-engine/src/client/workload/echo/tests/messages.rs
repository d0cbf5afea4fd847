//! Tests of `messages.rs`.

use super::*;

fn messages(json: &str) -> Messages {
    let plan = serde_json::from_str(json).unwrap();
    Messages::new(&plan, &mut Encoding::default(), Share::new(0, 1, 1), None).unwrap()
}

const STAMP: Stamp = Stamp {
    number: 7,
    due: 123_456_789,
};

#[test]
fn a_stamp_is_read_as_it_was_written() {
    for opcode in [Opcode::Text, Opcode::Binary] {
        let mut bytes = Vec::new();
        encode_stamp(opcode, STAMP, &mut bytes);
        assert_eq!(bytes.len(), stamp_bytes(opcode));
        assert_eq!(decode_stamp(opcode, &bytes), Some(STAMP));
        bytes.pop();
        assert_eq!(decode_stamp(opcode, &bytes), None);
    }
    assert_eq!(decode_stamp(Opcode::Text, &[b'x'; 50]), None);
}

#[test]
fn random_messages_are_the_same_for_a_seed_and_differ_from_one_another() {
    let make = |seed| random_messages(1000, MessageKind::Binary, seed);
    assert_eq!(make(1), make(1));
    assert_ne!(make(1), make(2));
    let several = make(1);
    assert!(several.len() * 1000 >= RANDOM_BYTES_MIN);
    assert_ne!(several[0], several[1]);
    let texts = random_messages(1000, MessageKind::Text, 1);
    assert!(texts[0].iter().all(u8::is_ascii_alphanumeric));
    assert_eq!(random_messages(0, MessageKind::Text, 1)[0], b"");
}

#[test]
fn what_comes_back_must_be_what_was_sent() {
    for json in [
        r#"{"random_bytes": 100}"#,
        r#"{"random_bytes": 100, "stamped": true}"#,
        r#"{"text": "a", "stamped": true}"#,
    ] {
        let messages = messages(json);
        let mut payload = Vec::new();
        if messages.is_stamped {
            encode_stamp(messages.opcode, STAMP, &mut payload);
        }
        payload.extend_from_slice(&messages.turn(7).payload);
        let is_expected = |payload: &[u8]| {
            let opcode = messages.opcode;
            messages.is_expected(7, Message { opcode, payload })
        };
        assert!(is_expected(&payload), "{json}");
        payload.push(b'x');
        assert!(!is_expected(&payload), "{json}");
        assert!(!is_expected(b""), "{json}");
    }
}
