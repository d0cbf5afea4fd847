//! Tests of `message.rs`.

use super::*;

const COOKIE: u64 = 0x0102_0304_0506_0708;

/// An answer as the kernel writes it: a socket with three attributes, its metrics and its memory
/// being the last two.
fn message(state: u8, inode: u32) -> Vec<u8> {
    let mut payload = vec![AF_INET6, state, 0, 0];
    payload.extend([7; IDENTIFIER_BYTES - 8]);
    payload.extend(COOKIE.to_ne_bytes());
    for word in [0, 1_000, 2_000, 0, inode] {
        payload.extend(u32::to_ne_bytes(word));
    }
    payload.extend([5_u16, 8].map(u16::to_ne_bytes).concat());
    payload.extend([3, 0, 0, 0]);
    payload.extend([4 + 200_u16, INET_DIAG_INFO].map(u16::to_ne_bytes).concat());
    payload.extend([1; 200]);
    payload.extend(
        [4 + 36_u16, INET_DIAG_SKMEMINFO]
            .map(u16::to_ne_bytes)
            .concat(),
    );
    for word in [100, 99, 99, 99, 4_096, 2_000, 99, 99, 99] {
        payload.extend(u32::to_ne_bytes(word));
    }
    framed(SOCK_DIAG_BY_FAMILY, &payload)
}

fn framed(kind: u16, payload: &[u8]) -> Vec<u8> {
    let mut message = Vec::new();
    let length = u32::try_from(HEADER_BYTES + payload.len()).unwrap();
    message.extend(length.to_ne_bytes());
    message.extend(kind.to_ne_bytes());
    message.extend([0; 2]);
    message.extend(9_u32.to_ne_bytes());
    message.extend([0; 4]);
    message.extend(payload);
    message
}

fn only(bytes: &[u8]) -> Option<Answer> {
    let mut answers = answers(bytes);
    let (sequence, answer) = answers.next()?;
    assert_eq!(sequence, 9);
    assert!(answers.next().is_none());
    Some(answer)
}

#[test]
fn a_socket_is_described_and_can_be_queried_again() {
    let Some(Answer::Socket(Some(described))) = only(&message(1, 4_242)) else {
        panic!("it is a socket");
    };
    assert_eq!(described.inode, 4_242);
    assert_eq!(described.receive_queue_bytes, 1_000);
    assert_eq!(described.send_queue_bytes, 2_000);
    assert_eq!(described.memory_bytes, 100 + 4_096 + 2_000);
    assert_eq!(described.info.unwrap().rtt_us, 0x0101_0101);
    assert_eq!(described.address.cookie(), COOKIE);
    let mut request = Vec::new();
    encode_query(&described.address, 3, &mut request);
    assert_eq!(request.len(), HEADER_BYTES + REQUEST_BYTES);
    assert_eq!(number(&request, 0), Some(72));
    assert_eq!(request[16], AF_INET6);
    assert_eq!(request[24..], described.address.identifier);
}

#[test]
fn reserved_memory_is_never_below_zero() {
    let words = [7_u32, 0, 0, 0, u32::MAX, 5, 0, 0, 0];
    let memory = words.map(u32::to_ne_bytes).concat();
    assert_eq!(charged_bytes(&memory), Some(12));
    assert_eq!(charged_bytes(&memory[..20]), None);
}

#[test]
fn a_socket_in_another_state_is_none() {
    for state in [0, 2, 3, 6, 7, 9, 10, 11, 32, 255] {
        let answer = only(&message(state, 1));
        assert_eq!(answer, Some(Answer::Socket(None)), "{state}");
    }
    for state in [1, 4, 5, 8] {
        assert_ne!(only(&message(state, 1)), Some(Answer::Socket(None)));
    }
}

#[test]
fn errors_and_ends_are_distinguished() {
    let refused = framed(NLMSG_ERROR, &(-2_i32).to_ne_bytes());
    assert_eq!(only(&refused), Some(Answer::Failed(2)));
    let absurd = framed(NLMSG_ERROR, &i32::MIN.to_ne_bytes());
    assert_eq!(only(&absurd), Some(Answer::Failed(i32::MAX)));
    let done = framed(NLMSG_DONE, &[0; 4]);
    assert_eq!(only(&done), Some(Answer::Done));
    let broken_off = framed(NLMSG_DONE, &(-2_i32).to_ne_bytes());
    assert_eq!(only(&broken_off), Some(Answer::Failed(2)));
    let two = [message(1, 1), done].concat();
    assert_eq!(answers(&two).count(), 2);
    assert_eq!(only(&framed(77, &[])), None);
}

#[test]
fn a_truncated_message_is_skipped_wherever_it_ends() {
    let whole = message(1, 1);
    for end in 0..whole.len() {
        assert_eq!(only(&whole[..end]), None, "{end}");
    }
    for inner in 0..whole.len() - HEADER_BYTES {
        let cut = framed(SOCK_DIAG_BY_FAMILY, &whole[HEADER_BYTES..][..inner]);
        let Some(Answer::Socket(described)) = only(&cut) else {
            panic!("its header is whole");
        };
        assert_eq!(described.is_some(), inner >= DESCRIPTION_BYTES, "{inner}");
    }
}

#[test]
fn bytes_of_any_value_at_any_place_are_read_without_a_panic() {
    let whole = message(1, 1);
    for index in 0..whole.len() {
        for value in [0, 1, 3, 4, 15, 16, 17, 127, 128, 255] {
            let mut odd = whole.clone();
            odd[index] = value;
            assert!(answers(&odd).count() <= odd.len());
        }
    }
}

#[test]
fn messages_with_length_0_end_the_answers() {
    assert_eq!(answers(&[0; 64]).count(), 0);
    let mut empty_attribute = message(1, 1);
    empty_attribute[HEADER_BYTES + DESCRIPTION_BYTES] = 0;
    let Some(Answer::Socket(Some(described))) = only(&empty_attribute) else {
        panic!("it is a socket");
    };
    assert_eq!(described.info, None);
}
