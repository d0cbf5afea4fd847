//! Assembly of packets and their attachments: Socket.IO protocol, version 5, "Packet encoding".

use super::{Data, Packet, PacketError, PacketKind};
use crate::buffer::extend_within;

/// A packet with all of its attachments.
#[derive(Debug, Clone, Copy)]
pub struct Assembled<'a> {
    pub packet: Packet<'a>,
    /// The attachments in the order of their numbers; the number of every placeholder has one.
    pub attachments: Attachments<'a>,
}

/// The attachments of a packet, stored one after another.
#[derive(Debug, Clone, Copy, Default)]
pub struct Attachments<'a> {
    bytes: &'a [u8],
    ends: &'a [usize],
}

impl<'a> Attachments<'a> {
    /// The attachment with the number `num` of its placeholder, or `None` if there is none.
    pub fn get(&self, num: usize) -> Option<&'a [u8]> {
        let &end = self.ends.get(num)?;
        let start = match num.checked_sub(1) {
            Some(previous) => self.ends[previous],
            None => 0,
        };
        Some(&self.bytes[start..end])
    }
}

/// Assembles packets from the messages of an Engine.IO session.
///
/// Packets without attachments are not copied. After an error the connection
/// has failed and the assembler must not be used.
#[derive(Debug)]
pub struct Assembler {
    max_attachments: usize,
    max_packet_bytes: usize,
    /// The packet whose attachments are being received, or the last one returned.
    text: Vec<u8>,
    /// Number of attachments of that packet; 0 if no attachment is expected.
    expected: usize,
    /// The attachments received so far.
    bytes: Vec<u8>,
    /// The end of each attachment in `bytes`.
    ends: Vec<usize>,
}

impl Assembler {
    /// Creates an assembler with the limits of a packet.
    ///
    /// `max_packet_bytes` limits the sum of the text and all attachments.
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

    /// Processes a text message. Returns its packet, or `None` if attachments must follow.
    pub fn receive_text<'a>(
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

    /// Processes a binary message. Returns the packet if `data` is its last attachment.
    pub fn receive_binary(&mut self, data: &[u8]) -> Result<Option<Assembled<'_>>, PacketError> {
        if self.expected == 0 {
            return Err(PacketError::UnexpectedAttachment);
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
            packet: Packet::decode(&self.text).expect("the text was decoded when it was received"),
            attachments: Attachments {
                bytes: &self.bytes,
                ends: &self.ends,
            },
        }))
    }
}
