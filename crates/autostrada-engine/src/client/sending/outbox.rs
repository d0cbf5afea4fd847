//! What a connection has still to send.

use autostrada_measure::FailureKind;
use autostrada_net::random_bytes;
use autostrada_proto::frame::{Opcode, encode_frame};

use super::encoding::Encoding;
use crate::client::end::End;
use crate::send_buffer::SendBuffer;

/// So much may wait of what the peer has asked for: it does not read its answers.
const ANSWERS_BYTES_MAX: usize = 16 * 1024 * 1024;

/// While more than this waits, a connection that sends back what comes takes nothing in.
const CHOKING_BYTES: usize = 64 * 1024;

/// Bytes to send, and how messages become bytes.
#[derive(Debug, Default)]
pub struct Outbox {
    buffer: SendBuffer,
    /// What is left of the frame that is being sent, where each is sent by itself.
    frame_rest_bytes: usize,
    /// What was sent of our own accord, not as an answer.
    own_bytes: usize,
    encoding: Encoding,
    is_closing: bool,
}

impl Outbox {
    /// Says how messages are written from here on.
    pub fn set_encoding(&mut self, encoding: Encoding) {
        self.encoding = encoding;
    }

    /// How messages are written.
    pub fn encoding(&mut self) -> &mut Encoding {
        &mut self.encoding
    }

    /// Appends a message. `prepared` is the same, encoded, for connections where that suffices.
    ///
    /// After the closing handshake has begun nothing more is sent.
    #[inline]
    pub fn send(&mut self, opcode: Opcode, payload: &[u8], prepared: Option<&[u8]>) {
        if self.is_closing {
            return;
        }
        match prepared {
            Some(bytes) if self.encoding.repeats() => self.bytes().extend_from_slice(bytes),
            _ => self.encoding.encode(opcode, payload, self.buffer.bytes()),
        }
    }

    /// Answers a ping of WebSocket.
    pub fn pong(&mut self, payload: &[u8]) {
        if !self.is_closing {
            encode_frame(Opcode::Pong, Some(random_bytes()), payload, self.bytes());
        }
    }

    /// Begins to close the connection.
    pub fn close(&mut self, code: u16) {
        if !self.is_closing {
            self.encoding.encode_close(code, self.buffer.bytes());
            self.is_closing = true;
        }
    }

    /// Appends bytes that are no message: requests, packets.
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        self.buffer.bytes()
    }

    /// The bytes, and how messages are written.
    pub fn parts(&mut self) -> (&mut Vec<u8>, &mut Encoding) {
        (self.buffer.bytes(), &mut self.encoding)
    }

    /// Whether the connection is being closed.
    pub fn is_closing(&self) -> bool {
        self.is_closing
    }

    /// What is left to send.
    pub fn rest(&self) -> &[u8] {
        self.buffer.rest()
    }

    /// How much waits, also for requests that are to come.
    pub fn waiting_bytes(&self) -> usize {
        let packets_bytes = match &self.encoding {
            Encoding::SocketIo(encoding) => encoding.waiting_bytes(),
            _ => 0,
        };
        self.rest().len() + packets_bytes
    }

    /// Whether so much waits that nothing more is to be answered for the present. Whoever is closing
    /// answers nothing, and takes in what comes.
    pub fn is_choked(&self) -> bool {
        !self.is_closing && self.waiting_bytes() > CHOKING_BYTES
    }

    /// Takes note that what waits beyond `waiting_bytes` was sent of our own accord.
    pub fn own_beyond(&mut self, waiting_bytes: usize) {
        let own_bytes = self.waiting_bytes().saturating_sub(waiting_bytes);
        self.own_bytes = self.own_bytes.saturating_add(own_bytes);
    }

    /// Whether the peer reads what it has asked for.
    ///
    /// # Errors
    ///
    /// When too much waits.
    pub fn check_room(&self) -> Result<(), End> {
        if self.waiting_bytes() <= ANSWERS_BYTES_MAX.saturating_add(self.own_bytes) {
            return Ok(());
        }
        let text = format!("more than {ANSWERS_BYTES_MAX} bytes of answers wait to be read");
        Err(End::Failed(FailureKind::Write, text))
    }

    /// What is appended from here on are frames.
    pub fn begin_frames(&mut self) {
        self.frame_rest_bytes = self.rest().len();
    }

    /// What is left to send of the first frame.
    pub fn rest_of_frame(&mut self) -> &[u8] {
        if self.frame_rest_bytes == 0 {
            self.frame_rest_bytes = self.encoding.frame_bytes(self.buffer.rest());
        }
        &self.buffer.rest()[..self.frame_rest_bytes]
    }

    /// Takes note of what the kernel has taken.
    pub fn advance(&mut self, sent: usize) {
        self.buffer.advance(sent);
        self.frame_rest_bytes = self.frame_rest_bytes.saturating_sub(sent);
    }

    /// Takes the thread's buffer, if it has none of its own.
    pub fn borrow_buffer(&mut self, spare: &mut Vec<u8>) {
        self.buffer.borrow_from(spare);
    }

    /// Gives the thread its buffer back, if it holds nothing.
    pub fn return_buffer(&mut self, spare: &mut Vec<u8>) {
        self.buffer.return_to(spare);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_nobody_reads_have_a_bound_and_what_we_send_has_none() {
        let mut outbox = Outbox::default();
        let waiting_bytes = outbox.waiting_bytes();
        outbox.send(Opcode::Binary, &vec![7; ANSWERS_BYTES_MAX + 1], None);
        assert!(outbox.check_room().is_err());
        outbox.own_beyond(waiting_bytes);
        assert!(outbox.check_room().is_ok());
        outbox.send(Opcode::Binary, &vec![7; ANSWERS_BYTES_MAX], None);
        assert!(outbox.check_room().is_err());
    }

    #[test]
    fn much_that_waits_chokes_an_answering_connection_until_it_closes() {
        let mut outbox = Outbox::default();
        outbox.bytes().resize(CHOKING_BYTES, 7);
        assert!(!outbox.is_choked());
        outbox.bytes().push(7);
        assert!(outbox.is_choked());
        outbox.advance(1);
        assert!(!outbox.is_choked());
        outbox.bytes().push(7);
        outbox.close(1000);
        assert!(!outbox.is_choked());
    }

    #[test]
    fn frames_are_told_apart_after_a_request_of_which_a_part_was_sent() {
        let mut outbox = Outbox::default();
        outbox.bytes().extend_from_slice(b"GET / HTTP/1.1");
        outbox.advance(4);
        outbox.begin_frames();
        outbox.send(Opcode::Text, b"abc", None);
        outbox.send(Opcode::Text, b"defgh", None);
        for bytes in [10, 9, 11] {
            assert_eq!(outbox.rest_of_frame().len(), bytes);
            outbox.advance(bytes);
        }
    }

    #[test]
    fn nothing_follows_a_closing_frame() {
        let mut outbox = Outbox::default();
        outbox.close(1000);
        assert_eq!(outbox.rest().len(), 8);
        outbox.send(Opcode::Text, b"late", None);
        outbox.pong(b"late");
        outbox.close(1001);
        assert_eq!(outbox.rest().len(), 8);
        assert!(outbox.is_closing());
    }

    #[test]
    fn one_frame_after_another_is_sent_even_in_parts() {
        let mut outbox = Outbox::default();
        outbox.send(Opcode::Text, b"abc", None);
        outbox.send(Opcode::Text, b"defgh", None);
        assert_eq!(outbox.rest_of_frame().len(), 9);
        outbox.advance(4);
        assert_eq!(outbox.rest_of_frame().len(), 5);
        outbox.advance(5);
        assert_eq!(outbox.rest_of_frame().len(), 11);
        outbox.advance(11);
        assert!(outbox.rest_of_frame().is_empty());
    }
}
