//! A second, simple inflater for comparison: RFC 1951, and
//! RFC 7692, section 7.2.2.
//!
//! It reads bit by bit and, like zlib, rejects every code that RFC 1951 does not allow. Other
//! inflaters accept some of these codes or reject them later.

/// The tail that is removed from every message.
const TAIL: [u8; 4] = [0x00, 0x00, 0xff, 0xff];
/// Maximum distance of a copy.
const DISTANCE_BYTES_MAX: usize = 32_768;

const CODE_BITS_MAX: usize = 15;
const LITERALS: usize = 286;
const DISTANCES: usize = 30;
const END_OF_BLOCK: usize = 256;
/// Order of the code lengths of the code length alphabet.
const LENGTHS_ORDER: [usize; 19] = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
];

/// Decompresses the messages of a connection, with context takeover.
pub struct PlainInflater {
    /// All bytes decompressed so far.
    stream: Vec<u8>,
    stream_bytes_max: usize,
}

impl PlainInflater {
    /// Creates an inflater for at most `bytes_max` decompressed bytes in total.
    #[must_use]
    pub fn new(bytes_max: usize) -> Self {
        Self {
            stream: Vec::new(),
            stream_bytes_max: bytes_max,
        }
    }

    /// Decompresses a message; `None` if it is invalid, ends inside a block, or continues in the
    /// tail.
    pub fn inflate(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        let with_tail = [bytes, &TAIL].concat();
        let mut input = Bits::new(&with_tail);
        let mut message = Vec::new();
        loop {
            let start = self.stream.len();
            let is_last = input.take(1)? == 1;
            self.inflate_block(&mut input)?;
            let made = &self.stream[start..];
            if input.taken_bits > 8 * bytes.len() && !made.is_empty() {
                return None;
            }
            message.extend_from_slice(made);
            if is_last {
                input.skip_to_byte();
                self.stream.clear();
            }
            let ends_without_tail = is_last && input.taken_bits == 8 * bytes.len();
            if ends_without_tail || input.taken_bits == 8 * with_tail.len() {
                return Some(message);
            }
        }
    }

    fn inflate_block(&mut self, input: &mut Bits<'_>) -> Option<()> {
        match input.take(2)? {
            0 => self.inflate_stored(input),
            1 => {
                let mut lengths = [8; 288];
                lengths[144..256].fill(9);
                lengths[256..280].fill(7);
                let (literals, distances) = (Code::new(&lengths)?, Code::new(&[5; 32])?);
                self.inflate_coded(input, &literals, &distances)
            }
            2 => {
                let (literals, distances) = read_codes(input)?;
                self.inflate_coded(input, &literals, &distances)
            }
            _ => None,
        }
    }

    fn inflate_stored(&mut self, input: &mut Bits<'_>) -> Option<()> {
        input.skip_to_byte();
        let (length, inverted) = (input.take(16)?, input.take(16)?);
        if length != !inverted & 0xffff {
            return None;
        }
        for _ in 0..length {
            let byte = input.take(8)?;
            self.push(u8::try_from(byte).ok()?)?;
        }
        Some(())
    }

    fn inflate_coded(
        &mut self,
        input: &mut Bits<'_>,
        literals: &Code,
        distances: &Code,
    ) -> Option<()> {
        loop {
            let symbol = literals.read(input)?;
            if symbol == END_OF_BLOCK {
                return Some(());
            }
            if let Ok(literal) = u8::try_from(symbol) {
                self.push(literal)?;
                continue;
            }
            let copied_bytes = read_length(symbol, input)?;
            let distance_bytes = read_distance(distances.read(input)?, input)?;
            let start = self.stream.len().checked_sub(distance_bytes)?;
            for index in start..start + copied_bytes {
                self.push(self.stream[index])?;
            }
        }
    }

    fn push(&mut self, byte: u8) -> Option<()> {
        (self.stream.len() < self.stream_bytes_max).then(|| self.stream.push(byte))
    }
}

/// Reads the length of a copy, in bytes: RFC 1951, section 3.2.5.
fn read_length(symbol: usize, input: &mut Bits<'_>) -> Option<usize> {
    let index = symbol - END_OF_BLOCK - 1;
    match symbol {
        ..=264 => Some(3 + index),
        265..=284 => {
            let extra_bits = index / 4 - 1;
            Some(3 + ((4 + index % 4) << extra_bits) + input.take(extra_bits)?)
        }
        285 => Some(258),
        _ => None,
    }
}

/// Reads the distance of a copy, in bytes: RFC 1951, section 3.2.5.
fn read_distance(symbol: usize, input: &mut Bits<'_>) -> Option<usize> {
    let distance_bytes = match symbol {
        ..=3 => 1 + symbol,
        4..DISTANCES => {
            let extra_bits = symbol / 2 - 1;
            1 + ((2 + symbol % 2) << extra_bits) + input.take(extra_bits)?
        }
        _ => return None,
    };
    (distance_bytes <= DISTANCE_BYTES_MAX).then_some(distance_bytes)
}

/// Reads the dynamic Huffman codes of a block: RFC 1951, section 3.2.7.
fn read_codes(input: &mut Bits<'_>) -> Option<(Code, Code)> {
    let literals = 257 + input.take(5)?;
    let distances = 1 + input.take(5)?;
    if literals > LITERALS || distances > DISTANCES {
        return None;
    }
    let mut lengths_of_lengths = [0; LENGTHS_ORDER.len()];
    let written = 4 + input.take(4)?;
    for index in &LENGTHS_ORDER[..written] {
        lengths_of_lengths[*index] = input.take(3)?;
    }
    let code_of_lengths = Code::new(&lengths_of_lengths).filter(Code::is_complete)?;
    let mut lengths = Vec::new();
    while lengths.len() < literals + distances {
        let (length, times) = match code_of_lengths.read(input)? {
            16 => (*lengths.last()?, 3 + input.take(2)?),
            17 => (0, 3 + input.take(3)?),
            18 => (0, 11 + input.take(7)?),
            length => (length, 1),
        };
        lengths.extend(std::iter::repeat_n(length, times));
    }
    if lengths.len() > literals + distances || lengths[END_OF_BLOCK] == 0 {
        return None;
    }
    let (of_literals, of_distances) = lengths.split_at(literals);
    Some((Code::new(of_literals)?, Code::new(of_distances)?))
}

/// A prefix code, defined by the lengths of its codewords: RFC 1951, section 3.2.2.
struct Code {
    /// Number of codewords of each length.
    words: [usize; CODE_BITS_MAX + 1],
    /// Symbols, ordered by codeword length and then by value.
    symbols: Vec<usize>,
    unused_words: usize,
}

impl Code {
    /// Returns `None` if the code is oversubscribed or incomplete. A single codeword of one bit is
    /// allowed, and so is a code without codewords if it is never used.
    fn new(lengths: &[usize]) -> Option<Self> {
        let mut words = [0; CODE_BITS_MAX + 1];
        let mut symbols = Vec::new();
        for (bits, words) in words.iter_mut().enumerate().skip(1) {
            let shorter = symbols.len();
            symbols.extend((0..lengths.len()).filter(|&symbol| lengths[symbol] == bits));
            *words = symbols.len() - shorter;
        }
        let mut unused_words: usize = 1;
        for words in &words[1..] {
            unused_words = (2 * unused_words).checked_sub(*words)?;
        }
        let is_single_bit = symbols.len() == 1 && words[1] == 1;
        let is_allowed = unused_words == 0 || is_single_bit || symbols.is_empty();
        is_allowed.then_some(Self {
            words,
            symbols,
            unused_words,
        })
    }

    fn is_complete(&self) -> bool {
        self.unused_words == 0
    }

    /// Reads the next symbol; `None` if no codeword matches.
    fn read(&self, input: &mut Bits<'_>) -> Option<usize> {
        let (mut word, mut first, mut before) = (0, 0, 0);
        for words in &self.words[1..] {
            word = 2 * word + input.take(1)?;
            first *= 2;
            if word < first + words {
                return Some(self.symbols[before + word - first]);
            }
            first += words;
            before += words;
        }
        None
    }
}

/// A reader of bits, from the least significant bit of each byte.
struct Bits<'b> {
    bytes: &'b [u8],
    taken_bits: usize,
}

impl<'b> Bits<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        Self {
            bytes,
            taken_bits: 0,
        }
    }

    /// Reads a number of `bits` bits; `None` if fewer are left.
    fn take(&mut self, bits: usize) -> Option<usize> {
        let mut number = 0;
        for index in 0..bits {
            let byte = self.bytes.get(self.taken_bits / 8)?;
            number |= usize::from(byte >> (self.taken_bits % 8) & 1) << index;
            self.taken_bits += 1;
        }
        Some(number)
    }

    fn skip_to_byte(&mut self) {
        self.taken_bits = self.taken_bits.next_multiple_of(8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 7692, section 7.2.3.
    #[test]
    fn the_examples_of_the_rfc_are_decompressed() {
        let one_block: &[u8] = &[0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00];
        let by_context: &[u8] = &[0xf2, 0x00, 0x11, 0x00, 0x00];
        let stored: &[u8] = b"\x00\x05\x00\xfa\xffHello\x00";
        let ended: &[u8] = &[0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x00];
        let two_blocks: &[u8] = &[
            0xf2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xff, 0xff, 0xca, 0xc9, 0xc9, 0x07, 0x00,
        ];
        let mut inflater = PlainInflater::new(100);
        for bytes in [one_block, by_context, stored, ended, two_blocks] {
            assert_eq!(inflater.inflate(bytes).as_deref(), Some(&b"Hello"[..]));
        }
        assert_eq!(inflater.inflate(&[0x00]), Some(Vec::new()));
    }

    #[test]
    fn an_incomplete_message_is_none() {
        let refers_to_nothing: &[u8] = &[0xf2, 0x00, 0x11, 0x00, 0x00];
        let ends_in_a_block: &[u8] = &[0xf2, 0x48, 0xcd];
        let of_no_kind: &[u8] = &[0x06];
        let wrong_length: &[u8] = &[0x00, 0x05, 0x00, 0xfa, 0xfe];
        for bytes in [refers_to_nothing, ends_in_a_block, of_no_kind, wrong_length] {
            assert_eq!(PlainInflater::new(100).inflate(bytes), None);
        }
    }

    #[test]
    fn oversubscribed_and_incomplete_codes_are_rejected() {
        for (lengths, is_one) in [
            (&[1, 1][..], true),
            (&[1, 2, 2], true),
            (&[1], true),
            (&[0, 0], true),
            (&[2], false),
            (&[1, 1, 1], false),
            (&[1, 2], false),
        ] {
            assert_eq!(Code::new(lengths).is_some(), is_one, "{lengths:?}");
        }
    }
}
