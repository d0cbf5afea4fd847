//! Tests of `repeat.rs`.

use super::*;
use proptest::prelude::*;

fn hello() -> RepeatedFrame {
    RepeatedFrame::new(Opcode::Text, b"Hello World")
}

#[test]
fn the_frame_has_header_and_payload() {
    assert_eq!(hello().frame(), b"\x81\x0bHello World");
}

#[test]
fn a_pattern_holds_whole_frames_and_at_least_one() {
    for (bytes, frames) in [(38, 2), (39, 3), (0, 1)] {
        let pattern = repeat_to_about(hello().frame(), bytes);
        assert_eq!(pattern, hello().frame().repeat(frames));
    }
}

#[test]
fn a_frame_longer_than_a_block_counts() {
    let frame = RepeatedFrame::new(Opcode::Binary, &vec![7; 100_000]);
    let mut input = frame.frame().repeat(3);
    input.extend_from_slice(b"part");
    assert_eq!(frame.count_at_front(&input), 3);
    input[250_000] = 8;
    assert_eq!(frame.count_at_front(&input), 2);
}

#[test]
fn another_frame_ends_the_count() {
    let fragments_of_the_same = b"\x01\x05Hello\x80\x06 World".as_slice();
    for other in [fragments_of_the_same, b"\x89\x00"] {
        for count in [0, 3] {
            let mut input = hello().frame().repeat(count);
            input.extend_from_slice(other);
            input.extend_from_slice(hello().frame());
            assert_eq!(hello().count_at_front(&input), count);
        }
    }
}

#[test]
#[should_panic(expected = "only whole messages")]
fn control_frames_are_not_counted() {
    let _ = RepeatedFrame::new(Opcode::Ping, b"");
}

#[test]
#[should_panic(expected = "must be utf-8")]
fn a_text_frame_must_be_valid_utf8() {
    let _ = RepeatedFrame::new(Opcode::Text, b"\xff");
}

proptest! {
    #[test]
    fn counts_the_frames_before_the_first_byte_that_differs(
        payload in prop::collection::vec(any::<u8>(), 0..300),
        frames in 1..4_000_usize,
        cut in 0..300_usize,
        differing in any::<prop::sample::Index>(),
    ) {
        let frame = RepeatedFrame::new(Opcode::Binary, &payload);
        let frame_bytes = frame.frame().len();
        let mut input = frame.frame().repeat(frames);
        input.truncate(input.len().saturating_sub(cut));
        prop_assert_eq!(frame.count_at_front(&input), input.len() / frame_bytes);
        if !input.is_empty() {
            let differing = differing.index(input.len());
            input[differing] ^= 1;
            let whole = input.len() / frame_bytes;
            prop_assert_eq!(
                frame.count_at_front(&input),
                whole.min(differing / frame_bytes)
            );
        }
    }
}
