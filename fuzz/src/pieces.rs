//! Feeding of a decoder with bytes that are split at arbitrary offsets.

use std::fmt::Debug;

use crate::memory::Meter;

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

/// A decoder under test.
pub trait Receiver {
    /// An owned event with everything that a caller can observe.
    type Received: Debug + PartialEq;

    /// Decodes the front of the input. Implementations create events inside
    /// [`uncounted`](crate::memory::uncounted), so that only the decoder's memory is counted.
    fn decode(&mut self, input: &mut [u8]) -> Step<Self::Received>;

    /// Limit of the memory that the decoder may hold, in bytes.
    fn bytes_max(&self) -> usize;

    /// Limit of the bytes that the decoder may need before it consumes any.
    fn needed_bytes_max(&self) -> usize;
}

/// Decodes all bytes at once and in pieces, asserts equal events, and returns them.
pub fn receive<R: Receiver>(make: impl Fn() -> R, bytes: &[u8], cuts: u16) -> Vec<R::Received> {
    let at_once = receive_pieces(make(), std::iter::once(bytes));
    let in_pieces = receive_pieces(make(), Pieces::new(bytes, cuts));
    assert_eq!(at_once, in_pieces, "the events depend on the split");
    at_once
}

fn receive_pieces<'b, R: Receiver>(
    mut receiver: R,
    pieces: impl Iterator<Item = &'b [u8]>,
) -> Vec<R::Received> {
    let mut meter = Meter::default();
    let mut buffer = Vec::new();
    let mut all_received = Vec::new();
    let mut needed_bytes = 0;
    'pieces: for piece in pieces {
        buffer.extend_from_slice(piece);
        let mut start = 0;
        loop {
            let input = &mut buffer[start..];
            let input_bytes = input.len();
            match meter.count(|| receiver.decode(input)) {
                Step::Incomplete(bytes) => {
                    assert!(bytes > input_bytes, "needs {bytes} of {input_bytes} bytes");
                    assert!(bytes <= receiver.needed_bytes_max().max(input_bytes + 1));
                    needed_bytes = bytes;
                    break;
                }
                Step::Consumed(bytes, value) => {
                    assert!(
                        bytes <= input_bytes,
                        "consumed {bytes} of {input_bytes} bytes"
                    );
                    assert!(
                        needed_bytes <= input_bytes,
                        "needed {needed_bytes} bytes and consumed {bytes} of {input_bytes}"
                    );
                    needed_bytes = 0;
                    start += bytes;
                    all_received.push(value);
                }
                Step::Ended(value) => {
                    all_received.push(value);
                    break 'pieces;
                }
            }
        }
        buffer.drain(..start);
    }
    let (held, bound) = (meter.bytes_max(), receiver.bytes_max());
    assert!(held <= bound, "held {held} bytes, limit {bound}");
    all_received
}

/// An iterator over pieces of bytes, as a function of `cuts`; 0 gives single bytes.
#[derive(Debug, Clone)]
pub struct Pieces<'b> {
    rest: &'b [u8],
    cuts: u32,
}

impl<'b> Pieces<'b> {
    pub fn new(bytes: &'b [u8], cuts: u16) -> Self {
        Self {
            rest: bytes,
            cuts: cuts.into(),
        }
    }

    /// Returns the length of the next piece: a few bytes, or up to half of the rest.
    fn next_bytes(&mut self) -> usize {
        if self.cuts == 0 {
            return 1;
        }
        // A step of a linear congruential generator.
        self.cuts = self
            .cuts
            .wrapping_mul(1_664_525)
            .wrapping_add(1_013_904_223)
            | 1;
        let drawn = (self.cuts >> 8) as usize;
        let most = if drawn & 1 == 0 {
            8
        } else {
            self.rest.len() / 2
        };
        1 + (drawn >> 1) % most.max(1)
    }
}

impl<'b> Iterator for Pieces<'b> {
    type Item = &'b [u8];

    fn next(&mut self) -> Option<&'b [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let bytes = self.next_bytes().min(self.rest.len());
        let (piece, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_bytes_in_order() {
        let bytes: Vec<u8> = (0..=255).collect();
        for cuts in 0..1_000 {
            let pieces: Vec<&[u8]> = Pieces::new(&bytes, cuts).collect();
            assert_eq!(pieces.concat(), bytes);
            assert!(pieces.len() > 1 && pieces.iter().all(|piece| !piece.is_empty()));
        }
        assert_eq!(Pieces::new(&bytes, 0).count(), 256);
    }
}
