//! Joins packets with their attachments: Socket.IO protocol, version 5, "Packet encoding".

use super::{Data, Packet, PacketError, PacketKind};
use crate::buffer::extend_within;

/// A packet that is whole.
#[derive(Debug, Clone, Copy)]
pub struct Assembled<'a> {
    pub packet: Packet<'a>,
    /// Its attachments, in the order of their numbers; each placeholder has its own.
    pub attachments: Attachments<'a>,
}

/// The bytes of attachments, one after another.
#[derive(Debug, Clone, Copy, Default)]
pub struct Attachments<'a> {
    bytes: &'a [u8],
    ends: &'a [usize],
}

impl<'a> Attachments<'a> {
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The attachment with the number that its placeholder says.
    #[must_use]
    pub fn get(&self, num: usize) -> Option<&'a [u8]> {
        let &end = self.ends.get(num)?;
        let start = match num.checked_sub(1) {
            Some(previous) => self.ends[previous],
            None => 0,
        };
        Some(&self.bytes[start..end])
    }
}

/// Takes the messages of an Engine.IO session, and gives whole packets.
///
/// Packets without attachments pass through uncopied. After an error the
/// connection has failed, and the assembler with it.
#[derive(Debug)]
pub struct Assembler {
    max_attachments: usize,
    max_packet_bytes: usize,
    /// The packet whose attachments are due, or the last one delivered.
    text: Vec<u8>,
    /// How many attachments it has in all; none are due when it is 0.
    expected: usize,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Assembler {
    /// Takes the bounds of a packet: the number of its attachments, and all of its bytes.
    #[must_use]
    pub fn new(max_attachments: usize, max_packet_bytes: usize) -> Self {
        Self {
            max_attachments,
            max_packet_bytes,
            text: Vec::new(),
            expected: 0,
            bytes: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Takes a text, and gives its packet unless attachments are due.
    ///
    /// # Errors
    ///
    /// When it is no packet, exceeds a bound, or comes instead of an attachment.
    pub fn take_text<'a>(
        &'a mut self,
        text: &'a [u8],
    ) -> Result<Option<Assembled<'a>>, PacketError> {
        if self.expected > 0 {
            return Err(PacketError::TextForAttachment);
        }
        if text.len() > self.max_packet_bytes {
            return Err(PacketError::TooLong);
        }
        let packet = Packet::decode(text)?;
        match packet.kind {
            PacketKind::Event { data, .. } | PacketKind::Ack { data, .. }
                if data.attachments > 0 =>
            {
                self.begin(text, data)?;
                Ok(None)
            }
            _ => Ok(Some(Assembled {
                packet,
                attachments: Attachments::default(),
            })),
        }
    }

    fn begin(&mut self, text: &[u8], data: Data<'_>) -> Result<(), PacketError> {
        if data.attachments > self.max_attachments {
            return Err(PacketError::TooManyAttachments);
        }
        data.check_placeholders()?;
        self.expected = data.attachments;
        self.text.clear();
        extend_within(&mut self.text, text, self.max_packet_bytes);
        self.bytes.clear();
        self.ends.clear();
        Ok(())
    }

    /// Takes binary data, and gives the packet whose last attachment it is.
    ///
    /// # Errors
    ///
    /// When no attachment is due, or the packet exceeds its bound.
    pub fn take_binary(&mut self, data: &[u8]) -> Result<Option<Assembled<'_>>, PacketError> {
        if self.expected == 0 {
            return Err(PacketError::StrayAttachment);
        }
        let left_bytes = self.max_packet_bytes - self.text.len() - self.bytes.len();
        if data.len() > left_bytes {
            return Err(PacketError::TooLong);
        }
        extend_within(&mut self.bytes, data, self.max_packet_bytes);
        self.ends.push(self.bytes.len());
        if self.ends.len() < self.expected {
            return Ok(None);
        }
        self.expected = 0;
        Ok(Some(Assembled {
            packet: Packet::decode(&self.text).expect("it was decoded when it came"),
            attachments: Attachments {
                bytes: &self.bytes,
                ends: &self.ends,
            },
        }))
    }
}
