//! A message that fault injection holds until it is sent.

use autostrada_proto::frame::Opcode;

/// A message that owns its payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Whether the message is text or binary.
    pub opcode: Opcode,
    /// The payload.
    pub payload: Vec<u8>,
}

impl Message {
    /// Returns the memory that the message takes in a queue, in bytes (an estimate).
    pub fn held_bytes(&self) -> usize {
        self.payload.len() + 2 * size_of::<Self>()
    }

    /// Inverts the lowest bit of the last byte; leaves an empty message unchanged.
    ///
    /// A text remains valid UTF-8 (RFC 3629, section 4): an ASCII character remains one, and the
    /// last byte of a longer character remains a continuation byte.
    pub fn corrupt(&mut self) {
        if let Some(last) = self.payload.last_mut() {
            *last ^= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corrupt_text_differs_and_is_utf_8() {
        let ends = (0..=u32::from(char::MAX)).filter_map(char::from_u32);
        for end in ends {
            let text = format!("text {end}");
            let mut message = Message {
                opcode: Opcode::Text,
                payload: text.clone().into_bytes(),
            };
            message.corrupt();
            assert_ne!(message.payload, text.as_bytes());
            assert_eq!(message.payload.len(), text.len());
            assert!(std::str::from_utf8(&message.payload).is_ok(), "{end:?}");
        }
    }

    #[test]
    fn an_empty_message_has_nothing_to_corrupt() {
        let mut message = Message {
            opcode: Opcode::Binary,
            payload: Vec::new(),
        };
        message.corrupt();
        assert_eq!(message.payload, b"");
    }
}
