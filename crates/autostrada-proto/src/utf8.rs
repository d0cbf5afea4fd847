//! UTF-8 validation of texts, at once or incrementally: RFC 6455, section 8.1.

use crate::close::ProtocolError;

/// Up to this length, testing for ASCII first is faster than calling the validator.
const SHORT_TEXT_BYTES: usize = 256;

/// Validates a text that is received in parts, and fails at the first invalid byte.
///
/// After a complete text it can validate the next one.
#[derive(Debug, Default)]
pub(crate) struct Utf8Check {
    /// The first bytes of a character that is not complete.
    character: [u8; 4],
    character_bytes: usize,
}

impl Utf8Check {
    /// Validates the next part.
    pub(crate) fn push(&mut self, mut part: &[u8]) -> Result<(), ProtocolError> {
        while self.character_bytes > 0 {
            let Some((&byte, rest)) = part.split_first() else {
                return Ok(());
            };
            part = rest;
            self.character[self.character_bytes] = byte;
            self.character_bytes += 1;
            match std::str::from_utf8(&self.character[..self.character_bytes]) {
                Ok(_) => self.character_bytes = 0,
                Err(error) if error.error_len().is_none() => {}
                Err(_) => return Err(ProtocolError::InvalidUtf8),
            }
        }
        if let Err(error) = simdutf8::compat::from_utf8(part) {
            if error.error_len().is_some() {
                return Err(ProtocolError::InvalidUtf8);
            }
            let begun = &part[error.valid_up_to()..];
            self.character[..begun.len()].copy_from_slice(begun);
            self.character_bytes = begun.len();
        }
        Ok(())
    }

    /// Checks that the text does not end inside a character.
    pub(crate) fn end(&self) -> Result<(), ProtocolError> {
        match self.character_bytes {
            0 => Ok(()),
            _ => Err(ProtocolError::InvalidUtf8),
        }
    }
}

/// Whether a text is UTF-8. For a short ASCII text the validator is not called.
#[inline]
pub(crate) fn is_utf8(text: &[u8]) -> bool {
    (text.len() <= SHORT_TEXT_BYTES && is_ascii(text)) || simdutf8::basic::from_utf8(text).is_ok()
}

/// Whether a text is ASCII. It is read in words; the last may overlap the one before it.
///
/// Every length takes few branches, because texts of varying lengths cause
/// branch mispredictions.
#[inline]
fn is_ascii(text: &[u8]) -> bool {
    let bits = if let Some(&last) = text.last_chunk::<16>() {
        let (words, _) = text.as_chunks::<16>();
        let last = u128::from_ne_bytes(last);
        join_halves(
            words
                .iter()
                .fold(last, |bits, &word| bits | u128::from_ne_bytes(word)),
        )
    } else if let (Some(&first), Some(&last)) = (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        u64::from_ne_bytes(first) | u64::from_ne_bytes(last)
    } else if let (Some(&first), Some(&last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        u64::from(u32::from_ne_bytes(first) | u32::from_ne_bytes(last))
    } else {
        text.iter().fold(0, |bits, &byte| bits | u64::from(byte))
    };
    bits & u64::from_ne_bytes([0x80; 8]) == 0
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the lower half includes the bits of the upper half"
)]
fn join_halves(bits: u128) -> u64 {
    (bits | bits >> 64) as u64
}

#[cfg(test)]
#[path = "tests/utf8.rs"]
mod tests;
