//! Tests of `utf8.rs`.

use super::*;

/// Validates byte by byte; returns the number of bytes before the first error.
fn valid_bytes(text: &[u8]) -> usize {
    let mut check = Utf8Check::default();
    let is_valid = |byte: &&u8| check.push(&[**byte]).is_ok();
    text.iter().take_while(is_valid).count()
}

#[test]
fn the_first_invalid_byte_is_an_error() {
    for (text, valid) in [
        (b"a\xff".as_slice(), 1),
        (b"\x80", 0),
        (b"\xc0\x80", 0),
        (b"\xe0\x9f\x80", 1),
        (b"\xed\xa0\x80", 1),
        (b"\xf0\x8f\x80\x80", 1),
        (b"\xf4\x90\x80\x80", 1),
        (b"\xf5", 0),
        (b"\xce\xba\xe1\xbda", 4),
        (b"\xf0\x9f\x98a", 3),
    ] {
        assert_eq!(valid_bytes(text), valid, "{text:x?}");
    }
}

#[test]
fn an_invalid_byte_is_found_at_every_offset_of_every_length() {
    for length in 1..300 {
        for index in 0..length {
            let mut text = vec![b'a'; length];
            text[index] = 0x80;
            assert!(!is_utf8(&text), "{index} of {length}");
        }
    }
}

#[test]
fn a_text_is_valid_in_any_two_parts_and_ends_only_between_characters() {
    let text = "κόσμε 😀 €".as_bytes();
    for split in 0..=text.len() {
        let (first, second) = text.split_at(split);
        let mut check = Utf8Check::default();
        check.push(first).unwrap();
        let is_boundary = std::str::from_utf8(first).is_ok();
        assert_eq!(check.end().is_ok(), is_boundary);
        check.push(second).unwrap();
        assert_eq!(check.end(), Ok(()));
    }
}
