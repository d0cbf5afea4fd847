//! The example messages of RFC 7692, section 7.2.3, and frames between them.

use autostrada_proto::close::ProtocolError;
use autostrada_proto::frame::Opcode;
use autostrada_proto::message::{Event, MessageDecoder, Role};

use super::{client, decode, server};

const HELLO: Event<'static> = Event::Text(b"Hello");

fn expect(frames: &[u8], expected: &[Event<'_>]) {
    let expected: Vec<_> = expected.iter().map(|event| format!("{event:?}")).collect();
    assert_eq!(decode(client(100), frames), Ok(expected), "{frames:x?}");
}

#[test]
fn messages_of_the_rfc_are_decompressed() {
    expect(b"\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00", &[HELLO]);
    expect(
        b"\x41\x03\xf2\x48\xcd\x80\x04\xc9\xc9\x07\x00",
        &[Event::Fragment, HELLO],
    );
    // The second message refers to the first one.
    expect(
        b"\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00\xc1\x05\xf2\x00\x11\x00\x00",
        &[HELLO, HELLO],
    );
    // A stored block; a final block; two blocks; an empty fragment.
    expect(b"\xc1\x0b\x00\x05\x00\xfa\xffHello\x00", &[HELLO]);
    expect(b"\xc1\x08\xf3\x48\xcd\xc9\xc9\x07\x00\x00", &[HELLO]);
    expect(
        b"\xc1\x0d\xf2\x48\x05\x00\x00\x00\xff\xff\xca\xc9\xc9\x07\x00",
        &[HELLO],
    );
    expect(
        b"\x41\x06\xf2\x48\xcd\xc9\xc9\x07\x80\x01\x00",
        &[Event::Fragment, HELLO],
    );
    expect(b"\xc1\x01\x00", &[Event::Text(b"")]);
    expect(b"\xc2\x01\x00", &[Event::Binary(b"")]);
}

#[test]
fn messages_are_compressed_as_in_the_rfc() {
    let mut encoder = server();
    let mut out = Vec::new();
    for payload in [b"Hello".as_slice(), b"Hello", b""] {
        encoder.encode(Opcode::Text, payload, || None, &mut out);
    }
    assert_eq!(
        out,
        b"\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00\xc1\x05\xf2\x00\x11\x00\x00\xc1\x01\x00"
    );
}

#[test]
fn messages_may_end_with_final_blocks() {
    let last_block = b"\xc1\x08\xf3\x48\xcd\xc9\xc9\x07\x00\x00".as_slice();
    // Without the byte that begins another block, against the RFC but unambiguous.
    let bare_last_block = b"\xc1\x07\xf3\x48\xcd\xc9\xc9\x07\x00".as_slice();
    let usual = b"\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00".as_slice();
    expect(
        &[last_block, bare_last_block, usual, last_block, usual].concat(),
        &[HELLO; 5],
    );
    let two_in_one = b"\xc1\x0f\xf3\x48\xcd\xc9\xc9\x07\x00\xf3\x48\xcd\xc9\xc9\x07\x00\x00";
    expect(two_in_one, &[Event::Text(b"HelloHello")]);
}

#[test]
fn the_removed_block_may_be_the_final_one() {
    let hello = b"\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x04".as_slice();
    let empty = b"\xc1\x01\x01".as_slice();
    let usual = b"\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00".as_slice();
    expect(
        &[hello, hello, empty, empty, usual].concat(),
        &[HELLO, HELLO, Event::Text(b""), Event::Text(b""), HELLO],
    );
}

#[test]
fn uncompressed_messages_and_control_frames_may_occur_between() {
    expect(
        b"\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00\
          \x81\x05olleH\x02\x01a\x89\x01?\x80\x01b\
          \x41\x01\xf2\x8a\x00\x00\x02\x00\x11\x80\x02\x00\x00\
          \xc1\x05\xf2\x00\x11\x00\x00",
        &[
            HELLO,
            Event::Text(b"olleH"),
            Event::Fragment,
            Event::Ping(b"?"),
            Event::Binary(b"ab"),
            Event::Fragment,
            Event::Pong(b""),
            Event::Fragment,
            HELLO,
            HELLO,
        ],
    );
}

#[test]
fn reserved_bits_without_a_meaning_are_errors() {
    let plain = MessageDecoder::new(Role::Client, 100);
    let hello = b"\xc1\x07\xf2\x48\xcd\xc9\xc9\x07\x00";
    assert_eq!(decode(plain, hello), Err(ProtocolError::ReservedBits));
    for frames in [
        b"\xa1\x00".as_slice(),
        b"\x91\x00",
        b"\xf1\x00",
        b"\xc9\x00",
        b"\xc8\x00",
        b"\x41\x03\xf2\x48\xcd\xc0\x04\xc9\xc9\x07\x00",
        b"\x01\x01a\xc0\x01\x00",
        b"\xc0\x01\x00",
    ] {
        let error = Err(ProtocolError::ReservedBits);
        assert_eq!(decode(client(100), frames), error, "{frames:x?}");
    }
}
