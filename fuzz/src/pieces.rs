//! Bytes as they come: cut anywhere, gathered, and taken by a decoder as far as it can.

use std::fmt::Debug;

use crate::memory::Meter;

/// What a decoder makes of the front of its input.
#[derive(Debug)]
pub enum Step<T> {
    /// Nothing, before there are so many bytes.
    Wants(usize),
    /// So many bytes are used up, and mean this.
    Took(usize, T),
    /// This is the last thing to be said of the connection.
    Ended(T),
}

/// A decoder under test.
pub trait Receiver {
    /// What it says, with all that a caller can see.
    type Received: Debug + PartialEq;

    /// Takes the front of the input. What is received is made by
    /// [`uncounted`](crate::memory::uncounted) calls, so that the decoder's memory is known.
    fn take(&mut self, input: &mut [u8]) -> Step<Self::Received>;

    /// The most memory that it may hold.
    fn bytes_max(&self) -> usize;

    /// The most bytes that it may want before it takes any.
    fn wanted_bytes_max(&self) -> usize;
}

/// Gives all bytes at once, and again in pieces, and returns what was received either time.
pub fn receive<R: Receiver>(make: impl Fn() -> R, bytes: &[u8], cuts: u16) -> Vec<R::Received> {
    let at_once = receive_pieces(make(), std::iter::once(bytes));
    let in_pieces = receive_pieces(make(), Pieces::new(bytes, cuts));
    assert_eq!(at_once, in_pieces, "it matters how the bytes were cut");
    at_once
}

fn receive_pieces<'b, R: Receiver>(
    mut receiver: R,
    pieces: impl Iterator<Item = &'b [u8]>,
) -> Vec<R::Received> {
    let mut meter = Meter::default();
    let mut buffer = Vec::new();
    let mut all_received = Vec::new();
    let mut wanted_bytes = 0;
    'pieces: for piece in pieces {
        buffer.extend_from_slice(piece);
        let mut start = 0;
        loop {
            let input = &mut buffer[start..];
            let input_bytes = input.len();
            match meter.count(|| receiver.take(input)) {
                Step::Wants(bytes) => {
                    assert!(bytes > input_bytes, "wants {bytes} of {input_bytes} bytes");
                    assert!(bytes <= receiver.wanted_bytes_max().max(input_bytes + 1));
                    wanted_bytes = bytes;
                    break;
                }
                Step::Took(bytes, value) => {
                    assert!(bytes <= input_bytes, "took {bytes} of {input_bytes} bytes");
                    assert!(
                        wanted_bytes <= input_bytes,
                        "wanted {wanted_bytes} bytes, and took {bytes} of {input_bytes}"
                    );
                    wanted_bytes = 0;
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
    assert!(held <= bound, "held {held} bytes, the bound being {bound}");
    all_received
}

/// The pieces of some bytes. The same cuts give the same pieces; 0 gives single bytes.
#[derive(Debug, Clone)]
pub struct Pieces<'b> {
    rest: &'b [u8],
    cuts: u32,
}

impl<'b> Pieces<'b> {
    #[must_use]
    pub fn new(bytes: &'b [u8], cuts: u16) -> Self {
        Self {
            rest: bytes,
            cuts: cuts.into(),
        }
    }

    /// Half of the pieces are of a few bytes, the others up to half of the rest.
    fn next_bytes(&mut self) -> usize {
        if self.cuts == 0 {
            return 1;
        }
        // The step of a linear congruential generator.
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
    fn pieces_are_all_of_the_bytes() {
        let bytes: Vec<u8> = (0..=255).collect();
        for cuts in 0..1_000 {
            let pieces: Vec<&[u8]> = Pieces::new(&bytes, cuts).collect();
            assert_eq!(pieces.concat(), bytes);
            assert!(pieces.len() > 1 && pieces.iter().all(|piece| !piece.is_empty()));
        }
        assert_eq!(Pieces::new(&bytes, 0).count(), 256);
    }
}
