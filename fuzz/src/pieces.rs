//! Feeding of a decoder with bytes that are split at arbitrary offsets.

use std::fmt::Debug;
use std::iter;

use crate::memory;

/// The result of one call of a decoder.
#[derive(Debug)]
pub enum Step<T> {
    /// The decoder needs this number of bytes in total.
    Incomplete(usize),
    /// The decoder consumed this number of bytes and returned an event.
    Consumed(usize, T),
    /// The connection has ended with this event.
    Ended(T),
}

/// Limits of a decoder.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Memory that it may hold.
    pub held_bytes: usize,
    /// Bytes that it may need before it consumes any.
    pub needed_bytes: usize,
}

/// Decodes all bytes at once and in pieces, asserts equal events, and returns them.
///
/// `make` returns a decoder of the front of its input. It creates owned events inside
/// [`without_counting`](memory::without_counting), so that only the decoder's memory is counted.
pub fn receive<T: Debug + PartialEq, D: FnMut(&mut [u8]) -> Step<T>>(
    make: impl Fn() -> D,
    limits: Limits,
    bytes: &[u8],
    cuts: u16,
) -> Vec<T> {
    let at_once = receive_pieces(make(), limits, iter::once(bytes));
    let in_pieces = receive_pieces(make(), limits, pieces(bytes, cuts));
    assert_eq!(at_once, in_pieces, "the events depend on the split");
    at_once
}

fn receive_pieces<'b, T>(
    mut decode: impl FnMut(&mut [u8]) -> Step<T>,
    limits: Limits,
    pieces: impl Iterator<Item = &'b [u8]>,
) -> Vec<T> {
    memory::reset();
    let mut buffer = Vec::new();
    let mut all_received = Vec::new();
    let mut needed_bytes = 0;
    'pieces: for piece in pieces {
        buffer.extend_from_slice(piece);
        let mut start = 0;
        loop {
            let input = &mut buffer[start..];
            let input_bytes = input.len();
            match memory::count_allocations(|| decode(input)) {
                Step::Incomplete(bytes) => {
                    assert!(bytes > input_bytes, "needs {bytes} of {input_bytes} bytes");
                    assert!(bytes <= limits.needed_bytes.max(input_bytes + 1));
                    needed_bytes = bytes;
                    break;
                }
                Step::Consumed(bytes, event) => {
                    assert!(
                        bytes.max(needed_bytes) <= input_bytes,
                        "needed {needed_bytes} bytes and consumed {bytes} of {input_bytes}"
                    );
                    needed_bytes = 0;
                    start += bytes;
                    all_received.push(event);
                }
                Step::Ended(event) => {
                    all_received.push(event);
                    break 'pieces;
                }
            }
        }
        buffer.drain(..start);
    }
    let (held, limit) = (memory::held_bytes_max(), limits.held_bytes);
    assert!(held <= limit, "held {held} bytes, limit {limit}");
    all_received
}

/// Splits bytes into a piece of 0 to 255 bytes and further ones of equal length.
pub fn pieces(bytes: &[u8], cuts: u16) -> impl Iterator<Item = &[u8]> {
    let [first, length] = cuts.to_le_bytes();
    let (front, rest) = bytes.split_at(usize::from(first).min(bytes.len()));
    iter::once(front).chain(rest.chunks(usize::from(length) + 1))
}
