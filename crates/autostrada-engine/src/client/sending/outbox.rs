//! The bytes that a connection has not sent yet.

use autostrada_measure::FailureKind;
use autostrada_proto::frame::{Opcode, encode_frame};

use super::encoding::Encoding;
use crate::client::end::End;
use crate::send_buffer::{SendBuffer, SpareBuffers};

/// Maximum number of unsent bytes that answer the peer (pongs, acknowledgements). More means that
/// the peer does not read its answers, and the connection fails.
const ANSWERS_BYTES_MAX: usize = 16 * 1024 * 1024;

/// While more bytes than this are unsent, a connection that sends messages back stops reading.
const BACKPRESSURE_BYTES: usize = 64 * 1024;

/// The bytes to send, and the encoding of messages.
#[derive(Debug, Default)]
pub struct Outbox {
    buffer: SendBuffer,
    /// Number of unsent bytes of the current frame, if each frame is sent on its own.
    frame_rest_bytes: usize,
    /// Number of bytes that the workload sent, as opposed to answers of the protocol.
    own_bytes: usize,
    encoding: Encoding,
    is_closing: bool,
}

impl Outbox {
    /// Sets the encoding of all further messages.
    pub fn set_encoding(&mut self, encoding: Encoding) {
        self.encoding = encoding;
    }

    /// Returns the encoding of messages.
    pub fn encoding(&mut self) -> &mut Encoding {
        &mut self.encoding
    }

    /// Appends a message, unless the closing handshake has started.
    ///
    /// `prepared` is the same message, encoded in advance; it is used if the encoding always
    /// produces the same bytes.
    #[inline]
    pub fn send(&mut self, opcode: Opcode, payload: &[u8], prepared: Option<&[u8]>) {
        if self.is_closing {
            return;
        }
        match prepared {
            Some(bytes) if self.encoding.is_repeatable() => self.bytes().extend_from_slice(bytes),
            _ => self.encoding.encode(opcode, payload, self.buffer.bytes()),
        }
    }

    /// Appends the answer to a WebSocket ping.
    pub fn pong(&mut self, payload: &[u8]) {
        self.control(Opcode::Pong, payload);
    }

    /// Appends a WebSocket ping.
    pub fn ping(&mut self, payload: &[u8]) {
        self.control(Opcode::Ping, payload);
    }

    fn control(&mut self, opcode: Opcode, payload: &[u8]) {
        if !self.is_closing {
            let masking_key = self.encoding.masking_key();
            encode_frame(opcode, masking_key, payload, self.bytes());
        }
    }

    /// Starts the closing handshake with this code, unless it has started.
    pub fn close(&mut self, code: u16) {
        if !self.is_closing {
            self.encoding.encode_close(code, self.buffer.bytes());
            self.is_closing = true;
        }
    }

    /// Returns the buffer, to append bytes other than messages: requests and packets.
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        self.buffer.bytes()
    }

    /// Returns the buffer and the encoding of messages.
    pub fn parts(&mut self) -> (&mut Vec<u8>, &mut Encoding) {
        (self.buffer.bytes(), &mut self.encoding)
    }

    /// Whether the closing handshake has started.
    pub fn is_closing(&self) -> bool {
        self.is_closing
    }

    /// Returns the bytes in the buffer that were not sent.
    pub fn rest(&self) -> &[u8] {
        self.buffer.rest()
    }

    /// Returns the number of unsent bytes.
    pub fn waiting_bytes(&self) -> usize {
        self.rest().len()
    }

    /// Whether so many bytes are unsent that no further message must be answered yet. A connection
    /// that is closing answers nothing and continues reading.
    pub fn has_backpressure(&self) -> bool {
        !self.is_closing && self.waiting_bytes() > BACKPRESSURE_BYTES
    }

    /// Counts the bytes beyond `waiting_bytes`, the earlier number of unsent bytes, as sent by the
    /// workload.
    pub fn count_own_bytes(&mut self, waiting_bytes: usize) {
        let own_bytes = self.waiting_bytes().saturating_sub(waiting_bytes);
        self.own_bytes = self.own_bytes.saturating_add(own_bytes);
    }

    /// Checks that the peer reads its answers.
    /// Returns a failure of kind `write` if more than 16 MiB of answers are unsent.
    pub fn check_room(&self) -> Result<(), End> {
        if self.waiting_bytes() <= ANSWERS_BYTES_MAX.saturating_add(self.own_bytes) {
            return Ok(());
        }
        let text =
            format!("the peer has left more than {ANSWERS_BYTES_MAX} bytes of answers unread");
        Err(End::Failed(FailureKind::Write, text))
    }

    /// Marks the beginning of frames: all bytes appended after this call belong to frames.
    pub fn begin_frames(&mut self) {
        self.frame_rest_bytes = self.rest().len();
    }

    /// Returns the unsent bytes of the first frame.
    pub fn rest_of_frame(&mut self) -> &[u8] {
        if self.frame_rest_bytes == 0 {
            self.frame_rest_bytes = self.encoding.frame_bytes(self.buffer.rest());
        }
        &self.buffer.rest()[..self.frame_rest_bytes]
    }

    /// Removes bytes that the kernel has accepted.
    pub fn advance(&mut self, sent: usize) {
        self.buffer.advance(sent);
        self.frame_rest_bytes = self.frame_rest_bytes.saturating_sub(sent);
    }

    /// Borrows a buffer of the thread if the outbox has none.
    pub fn borrow_buffer(&mut self, spares: &mut SpareBuffers) {
        self.buffer.borrow_from(spares);
    }

    /// Returns the buffer to the thread if it is empty.
    pub fn return_buffer(&mut self, spares: &mut SpareBuffers) {
        self.buffer.return_to(spares);
    }
}

#[cfg(test)]
#[path = "tests/outbox.rs"]
mod tests;
