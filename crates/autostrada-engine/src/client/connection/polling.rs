//! Long-polling as a transport: the session above it exchanges WebSocket frames, which are here the
//! packets of HTTP requests on two sockets, by GET from the server and by POST to it.

use std::mem::take;

use autostrada_measure::FailureKind;
use autostrada_net::{Transfer, clock};
use autostrada_proto::engine_io::{Session, encode_payload, split_payload};
use autostrada_proto::frame::{FrameHeader, Opcode, encode_frame};
use autostrada_proto::http::client::{Response, ResponseDecoder};

use super::wire::{Progress, Wire};
use super::{Connection, Received, Shared, ended};
use crate::client::end::End;
use crate::client::sending::Outbox;
use crate::client::session::{Delivery, handshake_failure};
use crate::client::workload::Workload;
use crate::send_buffer::SendBuffer;

/// Maximum length of a received body.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

/// Maximum number of packets in one request: the limit of python-engineio.
const PACKETS_PER_REQUEST_MAX: usize = 16;

/// Maximum length of a request body if the server does not specify one: the default of Engine.IO.
const REQUEST_BYTES_MAX: u64 = 1_000_000;

/// Type of the packet that describes a session.
const OPEN: &[u8] = b"0";

/// The packet that ends a session.
const CLOSE: &[u8] = b"1";

/// The state of long-polling, except for the socket of its GET requests, the main one.
#[derive(Debug)]
pub struct Polling {
    gets: Requests,
    posts: Requests,
    /// The socket of the POST requests, which the server may end whenever it is idle.
    wire: Option<Wire>,
    /// Target of all requests except the first; `None` until the server has sent the session
    /// identifier.
    target: Option<String>,
    request_bytes_max: u64,
    /// Frames of received packets that the session has not processed.
    frames: Vec<u8>,
}

/// The requests on one of the sockets, one at a time.
#[derive(Debug)]
struct Requests {
    unsent: SendBuffer,
    is_answer_due: bool,
    decoder: ResponseDecoder,
}

impl Polling {
    /// Creates the state of a connection that has not sent any request.
    pub fn new() -> Self {
        Self {
            gets: Requests::new(),
            posts: Requests::new(),
            wire: None,
            target: None,
            request_bytes_max: REQUEST_BYTES_MAX,
            frames: Vec::new(),
        }
    }

    /// Records the readiness of the socket of the POST requests.
    #[cold]
    pub fn note(&mut self, is_writable: bool, has_peer_ended: bool) {
        if let Some(wire) = &mut self.wire {
            wire.note(is_writable, has_peer_ended);
        }
    }

    /// Prepares a request for packets, unless one is outstanding.
    fn get(&mut self, shared: &Shared<'_>) -> Result<(), End> {
        if self.gets.is_answer_due {
            return Ok(());
        }
        self.gets.is_answer_due = true;
        let config = &shared.session_config;
        let target = self.target.as_deref().unwrap_or(config.path);
        config
            .requests
            .encode_get(target, self.gets.unsent.bytes())
            .map_err(|error| handshake_failure(error.to_string()))
    }

    /// Prepares a request with packets, unless one is outstanding or there are none.
    fn post(&mut self, index: usize, outbox: &mut Outbox, shared: &Shared<'_>) -> Result<(), End> {
        let Some(target) = self.target.as_deref() else {
            return Ok(());
        };
        if self.posts.is_answer_due || outbox.rest().is_empty() {
            return Ok(());
        }
        self.posts.is_answer_due = true;
        if self.wire.as_ref().is_none_or(Wire::has_peer_ended) {
            let dialed = shared.dialer.dial_second(index);
            self.wire = Some(dialed.map_err(|error| End::failed(FailureKind::Connect, &error))?);
        }
        let body = take_packets(outbox, self.request_bytes_max);
        shared
            .session_config
            .requests
            .encode_post(target, &body, self.posts.unsent.bytes())
            .map_err(|error| handshake_failure(error.to_string()))
    }

    /// Reads the answers to POST requests, which have no packets.
    fn receive_answers(
        &mut self,
        left_bytes: &mut usize,
        shared: &mut Shared<'_>,
    ) -> Result<(), End> {
        let Some(wire) = &mut self.wire else {
            return Ok(());
        };
        while self.posts.is_answer_due && wire.is_ready() && *left_bytes > 0 {
            match self.posts.read(wire, left_bytes, shared)? {
                Transfer::Bytes(_) => {
                    if let Some(response) = self.posts.take_response()? {
                        check_status(&response)?;
                    }
                }
                Transfer::WouldBlock => break,
                Transfer::Ended => return Err(ended(false)),
            }
        }
        Ok(())
    }

    /// Converts the packets of a body to frames; the first one describes the session.
    fn receive_packets(&mut self, path: &str, body: &[u8]) -> Result<(), End> {
        if self.target.is_none() {
            let first = split_payload(body).next().unwrap_or_default();
            let Some(json) = first.strip_prefix(OPEN) else {
                let text = "the first response does not describe a session";
                return Err(handshake_failure(text));
            };
            let session = Session::decode(json).map_err(|error| End::violation(&error))?;
            self.target = Some(format!("{path}&sid={}", session.sid));
            self.request_bytes_max = session.max_payload_bytes.unwrap_or(REQUEST_BYTES_MAX);
        }
        for packet in split_payload(body) {
            encode_frame(Opcode::Text, None, packet, &mut self.frames);
        }
        Ok(())
    }
}

impl Requests {
    fn new() -> Self {
        Self {
            unsent: SendBuffer::default(),
            is_answer_due: false,
            decoder: ResponseDecoder::new(MAX_BODY_BYTES),
        }
    }

    /// Sends as much of the request as the socket accepts.
    fn flush(&mut self, wire: &mut Wire, shared: &mut Shared<'_>) -> Result<(), End> {
        while !self.unsent.rest().is_empty() {
            let moved = wire.write(self.unsent.rest(), shared)?;
            if moved == 0 {
                break;
            }
            self.unsent.advance(moved);
        }
        wire.flush()
    }

    /// Reads once, up to `left_bytes` bytes.
    fn read(
        &mut self,
        wire: &mut Wire,
        left_bytes: &mut usize,
        shared: &mut Shared<'_>,
    ) -> Result<Transfer, End> {
        let room = shared.buffer.len().min(*left_bytes);
        let read = wire.read(&mut shared.buffer[..room])?;
        if let Transfer::Bytes(moved) = read {
            *left_bytes -= moved;
            shared.traffic.read_calls += 1;
            shared.traffic.read_bytes += moved as u64;
            self.decoder.receive(&shared.buffer[..moved]);
        }
        Ok(read)
    }

    /// Returns the response once it is complete.
    fn take_response(&mut self) -> Result<Option<Response>, End> {
        let mut response = None;
        if self.is_answer_due {
            let decoded = self.decoder.decode();
            response = decoded.map_err(|error| End::violation(&error))?;
            self.is_answer_due = response.is_none();
        }
        if !self.is_answer_due && !self.decoder.is_empty() {
            let text = "the server sent a response without a request".to_owned();
            return Err(End::Failed(FailureKind::Protocol, text));
        }
        Ok(response)
    }
}

impl Connection {
    /// Sends a request for packets, and one with packets, unless the last one is not answered.
    #[inline(never)]
    pub(super) fn flush_polling(
        &mut self,
        index: usize,
        shared: &mut Shared<'_>,
    ) -> Result<(), End> {
        let Some(polling) = &mut self.polling else {
            return Ok(());
        };
        if !self.outbox.is_closing() {
            polling.get(shared)?;
        }
        polling.gets.flush(&mut self.wire, shared)?;
        polling.post(index, &mut self.outbox, shared)?;
        if let Some(wire) = &mut polling.wire {
            while wire.advance()? != Progress::None {}
            polling.posts.flush(wire, shared)?;
        }
        self.outbox.return_buffer(&mut shared.spares);
        self.outbox.check_room()
    }

    /// Reads up to `bytes_max` bytes from both sockets and passes complete messages to the workload.
    #[inline(never)]
    pub(super) fn receive_polling<W: Workload>(
        &mut self,
        index: usize,
        bytes_max: usize,
        workload: &mut W,
        shared: &mut Shared<'_>,
    ) -> Result<Received, End> {
        let mut left_bytes = bytes_max;
        while let Some(polling) = &mut self.polling {
            let now = clock::now();
            let mut frames = take(&mut polling.frames);
            let mut delivery = Delivery {
                connection: index,
                now,
                workload,
                outbox: &mut self.outbox,
            };
            let consumed =
                self.session
                    .process(&mut frames, &mut shared.session_config, &mut delivery)?;
            if consumed.has_opened {
                polling.frames = frames.split_off(consumed.bytes);
                return Ok(Received::Opened(now));
            }
            polling.receive_answers(&mut left_bytes, shared)?;
            let is_answered = !polling.posts.is_answer_due && self.outbox.rest().is_empty();
            if self.outbox.is_closing() && is_answered {
                return Err(End::Done);
            }
            if left_bytes == 0 {
                return Ok(Received::More);
            }
            match polling.gets.read(&mut self.wire, &mut left_bytes, shared)? {
                Transfer::Bytes(_) => {
                    // A server may know the session no more that is being closed.
                    if let Some(response) = polling.gets.take_response()?
                        && !self.outbox.is_closing()
                    {
                        check_status(&response)?;
                        polling.receive_packets(shared.session_config.path, &response.body)?;
                    }
                }
                Transfer::WouldBlock => return Ok(Received::All),
                Transfer::Ended if self.outbox.is_closing() => return Ok(Received::All),
                Transfer::Ended if polling.gets.is_answer_due => {
                    return Err(ended(self.opening.is_some()));
                }
                Transfer::Ended => {
                    let dialed = shared.dialer.dial(index, false);
                    self.wire =
                        dialed.map_err(|error| End::failed(FailureKind::Connect, &error))?;
                    return Ok(Received::All);
                }
            }
        }
        Ok(Received::All)
    }
}

/// Removes frames from the front of the outbox; returns their packets as the body of a request.
fn take_packets(outbox: &mut Outbox, bytes_max: u64) -> Vec<u8> {
    let mut body = Vec::new();
    for _ in 0..PACKETS_PER_REQUEST_MAX {
        let Ok(Some((header, header_bytes))) = FrameHeader::decode(outbox.rest()) else {
            break;
        };
        let length = usize::try_from(header.payload_length).expect("the frame is in memory");
        let payload = &outbox.rest()[header_bytes..][..length];
        let before = body.len();
        match header.opcode {
            Opcode::Close => encode_payload(Opcode::Text, CLOSE, &mut body),
            opcode => encode_payload(opcode, payload, &mut body),
        }
        if before > 0 && body.len() as u64 > bytes_max {
            body.truncate(before);
            break;
        }
        outbox.advance(header_bytes + length);
    }
    body
}

fn check_status(Response { status, body }: &Response) -> Result<(), End> {
    if *status == 200 {
        return Ok(());
    }
    let excerpt = body[..body.len().min(80)].escape_ascii();
    Err(handshake_failure(format!(
        "the server answered {status} \"{excerpt}\""
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_leave_in_their_order_if_there_is_room() {
        let mut outbox = Outbox::default();
        for (opcode, payload) in [(Opcode::Text, "4first"), (Opcode::Binary, "x")] {
            encode_frame(opcode, None, payload.as_bytes(), outbox.bytes());
        }
        outbox.close(1000);
        assert_eq!(take_packets(&mut outbox, 1), b"4first");
        assert_eq!(take_packets(&mut outbox, 7), b"beA==\x1e1");
        assert!(outbox.rest().is_empty());
    }
}
