//! Tests of `close.rs`.

use super::*;

#[test]
fn a_payload_is_decoded_as_it_was_encoded() {
    for reason in ["", "going away", "grüezi", &"x".repeat(123)] {
        let close = Close {
            code: NORMAL,
            reason,
        };
        let mut payload = Vec::new();
        close.encode(&mut payload);
        assert_eq!(Close::decode(&payload), Ok(Some(close)));
    }
    assert_eq!(Close::decode(b""), Ok(None));
}

#[test]
fn half_a_code_and_a_reason_that_is_not_utf8_are_errors() {
    for (payload, error, close_code) in [
        (b"\x03".as_slice(), ProtocolError::TruncatedCloseCode, 1002),
        (b"\x03\xe8\xff", ProtocolError::InvalidUtf8, 1007),
    ] {
        assert_eq!(Close::decode(payload), Err(error));
        assert_eq!(error.close_code(), close_code);
    }
}

#[test]
fn only_assigned_and_private_codes_may_be_sent() {
    for code in [
        1000, 1001, 1002, 1003, 1007, 1011, 1014, 3000, 3999, 4000, 4999,
    ] {
        let close = Close { code, reason: "" };
        assert_eq!(Close::decode(&code.to_be_bytes()), Ok(Some(close)));
    }
    for code in [
        0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535,
    ] {
        let error = Close::decode(&u16::to_be_bytes(code)).unwrap_err();
        assert_eq!(error, ProtocolError::InvalidCloseCode(code));
        assert_eq!(error.close_code(), 1002);
    }
}

#[test]
fn the_text_of_an_error_has_the_wrong_value() {
    for (error, text) in [
        (ProtocolError::UnknownOpcode(0xb), "unknown opcode 0xb"),
        (
            ProtocolError::InvalidCloseCode(1005),
            "close code 1005 may not be sent",
        ),
    ] {
        assert_eq!(error.to_string(), text);
    }
}

#[test]
#[should_panic(expected = "may not be sent")]
fn a_reserved_code_is_not_encoded() {
    Close {
        code: 1006,
        reason: "",
    }
    .encode(&mut Vec::new());
}

#[test]
#[should_panic(expected = "does not fit")]
fn a_reason_that_does_not_fit_is_not_encoded() {
    Close {
        code: NORMAL,
        reason: &"x".repeat(124),
    }
    .encode(&mut Vec::new());
}
