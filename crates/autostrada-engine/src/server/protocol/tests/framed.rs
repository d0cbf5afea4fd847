//! Tests of `framed.rs`.

use super::*;

fn frame(payload: &[u8]) -> Vec<u8> {
    let mut frame = Vec::new();
    encode_framed(payload, &mut frame);
    frame
}

fn decode(framed: &mut Framed, input: &[u8], out: &mut Vec<u8>) -> PeerEvent {
    match framed.decode(input, true, true, out) {
        Ok(Decoded::Event {
            consumed_bytes,
            event,
        }) => {
            assert_eq!(consumed_bytes, input.len());
            event
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_first_message_is_the_path_and_the_others_come_back() {
    let (mut framed, mut out) = (Framed::new(), Vec::new());
    let event = decode(&mut framed, &frame(b"/echo"), &mut out);
    assert_eq!(
        (event, &out[..]),
        (PeerEvent::Requested(Route::Echo), &b""[..])
    );
    let event = decode(&mut framed, &frame(b"/1"), &mut out);
    assert_eq!((event, out), (PeerEvent::Nothing, frame(b"/1")));
}

#[test]
fn any_other_path_is_refused_with_the_remedy() {
    let (mut framed, mut out) = (Framed::new(), Vec::new());
    let event = decode(&mut framed, &frame(b"\xff"), &mut out);
    assert_eq!(event, PeerEvent::Refused);
    assert_eq!(out, frame(Route::remedy(true).as_bytes()));
}

#[test]
fn a_path_that_is_too_long_is_an_error() {
    let input = 5_000_u32.to_be_bytes();
    let error = Framed::new().decode(&input, true, true, &mut Vec::new());
    assert_eq!(error, Err(ProtocolError::MessageTooLong));
}
