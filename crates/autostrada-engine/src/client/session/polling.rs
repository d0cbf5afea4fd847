//! Socket.IO by long-polling: packets go out by POST on one connection and come by GET on another.

use autostrada_measure::FailureKind;
use autostrada_proto::decoded::Decoded;
use autostrada_proto::http::client::{Event, Response, ResponseDecoder};

use super::socket_io::{Change, SocketIo};
use super::{Delivery, SessionConfig, Taken, refused};
use crate::client::end::End;
use crate::client::sending::{Encoding, Outbox};
use crate::client::workload::Workload;

/// The longest body that is taken.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

/// The most packets in one request: what python-engineio takes.
const PACKETS_PER_REQUEST_MAX: usize = 16;

/// The longest body of a request where the server does not say: what Engine.IO takes by default.
const REQUEST_BYTES_MAX: u64 = 1_000_000;

/// Between two packets of a body.
const SEPARATOR: u8 = 0x1e;

/// A session by long-polling.
#[derive(Debug)]
pub struct Polling {
    socket_io: SocketIo,
    /// The target of all requests but the first, once the server has given the session its name.
    target: Option<String>,
    request_bytes_max: u64,
    /// Answers to the first request, and to those that carry packets.
    answers: ResponseDecoder,
    /// Whether such an answer is awaited.
    is_answer_due: bool,
    /// Answers to the requests that wait for packets.
    polls: ResponseDecoder,
    is_poll_due: bool,
}

impl Polling {
    /// Nothing was asked for yet.
    pub fn new() -> Self {
        Self {
            socket_io: SocketIo::new(),
            target: None,
            request_bytes_max: REQUEST_BYTES_MAX,
            answers: ResponseDecoder::new(MAX_BODY_BYTES),
            is_answer_due: false,
            polls: ResponseDecoder::new(MAX_BODY_BYTES),
            is_poll_due: false,
        }
    }

    /// Asks for a session.
    pub fn begin(
        &mut self,
        session_config: &SessionConfig<'_>,
        outbox: &mut Outbox,
    ) -> Result<(), End> {
        self.is_answer_due = true;
        session_config
            .requests
            .encode_get(session_config.path, outbox.bytes())
            .map_err(|error| refused(error.to_string()))
    }

    /// Whether the server still owes an answer on the connection of the POST requests: it may end
    /// an idle one.
    pub fn is_answer_due(&self) -> bool {
        self.is_answer_due
    }

    /// The same of the connection of the GET requests.
    pub fn is_poll_due(&self) -> bool {
        self.is_poll_due
    }

    /// Puts packets that wait into a request, unless one is under way.
    pub fn post_waiting(
        &mut self,
        session_config: &SessionConfig<'_>,
        outbox: &mut Outbox,
    ) -> Result<(), End> {
        let Some(target) = self.target.as_deref().filter(|_| !self.is_answer_due) else {
            return Ok(());
        };
        let (bytes, encoding) = outbox.parts();
        let Encoding::SocketIo(encoding) = encoding else {
            return Ok(());
        };
        let Some(waiting) = encoding.waiting() else {
            return Ok(());
        };
        let Some(mut body) = waiting.pop(u64::MAX) else {
            return Ok(());
        };
        for _ in 1..PACKETS_PER_REQUEST_MAX {
            let left_bytes = self.request_bytes_max.checked_sub(body.len() as u64 + 1);
            let Some(next) = left_bytes.and_then(|bytes| waiting.pop(bytes)) else {
                break;
            };
            body.push(SEPARATOR);
            body.extend(next);
        }
        self.is_answer_due = true;
        session_config
            .requests
            .encode_post(target, &body, bytes)
            .map_err(|error| refused(error.to_string()))
    }

    /// Appends the next request for packets, unless one is under way.
    pub fn poll(
        &mut self,
        session_config: &SessionConfig<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), End> {
        let Some(target) = self.target.as_deref().filter(|_| !self.is_poll_due) else {
            return Ok(());
        };
        self.is_poll_due = true;
        session_config
            .requests
            .encode_get(target, out)
            .map_err(|error| refused(error.to_string()))
    }

    /// Takes in answers on the connection of the POST requests.
    pub fn take_in_answers<W: Workload>(
        &mut self,
        input: &[u8],
        session_config: &SessionConfig<'_>,
        to: &mut Delivery<'_, W>,
    ) -> Result<Taken, End> {
        let mut bytes = 0;
        loop {
            let front = asked_for(self.is_answer_due, &input[bytes..])?;
            let (consumed_bytes, event) = match decode(&mut self.answers, front)? {
                Ok(decoded) => decoded,
                Err(needed_bytes) => {
                    return Ok(Taken {
                        bytes,
                        needed_bytes,
                        has_opened: false,
                    });
                }
            };
            bytes += consumed_bytes;
            let Event::Response(response) = event else {
                continue;
            };
            self.is_answer_due = false;
            check_status(&response)?;
            if self.target.is_some() {
                if to.outbox.is_closing() && !has_waiting(to.outbox) {
                    return Err(End::Done);
                }
                continue;
            }
            match self
                .socket_io
                .take_payload(response.body, session_config, to)?
            {
                Change::Described(session) => {
                    self.target = Some(format!("{}&sid={}", session_config.path, session.sid));
                    if let Some(bytes) = session.max_payload_bytes {
                        self.request_bytes_max = bytes;
                    }
                }
                Change::None | Change::Joined => {
                    return Err(refused("the first answer does not describe a session"));
                }
            }
        }
    }

    /// Takes in answers on the connection of the GET requests.
    pub fn take_in_polls<W: Workload>(
        &mut self,
        input: &[u8],
        session_config: &SessionConfig<'_>,
        to: &mut Delivery<'_, W>,
    ) -> Result<Taken, End> {
        let mut taken = Taken {
            bytes: 0,
            needed_bytes: 0,
            has_opened: false,
        };
        loop {
            let front = asked_for(self.is_poll_due, &input[taken.bytes..])?;
            let (consumed_bytes, event) = match decode(&mut self.polls, front)? {
                Ok(decoded) => decoded,
                Err(needed_bytes) => {
                    taken.needed_bytes = needed_bytes;
                    return Ok(taken);
                }
            };
            taken.bytes += consumed_bytes;
            let Event::Response(response) = event else {
                continue;
            };
            self.is_poll_due = false;
            if to.outbox.is_closing() {
                continue;
            }
            check_status(&response)?;
            let change = self
                .socket_io
                .take_payload(response.body, session_config, to)?;
            taken.has_opened |= change == Change::Joined;
        }
    }
}

/// A server speaks when it is asked.
fn asked_for(is_due: bool, input: &[u8]) -> Result<&[u8], End> {
    if is_due || input.is_empty() {
        return Ok(input);
    }
    let text = "a response that nobody has asked for".to_owned();
    Err(End::Failed(FailureKind::Protocol, text))
}

type DecodedEvent<'a> = Result<(usize, Event<'a>), usize>;

/// The event at the front, with its length; or how much there must be.
fn decode<'a>(decoder: &'a mut ResponseDecoder, input: &'a [u8]) -> Result<DecodedEvent<'a>, End> {
    match decoder.decode(input) {
        Ok(Decoded::Incomplete { needed_bytes }) => Ok(Err(needed_bytes)),
        Ok(Decoded::Event {
            consumed_bytes,
            event,
        }) => Ok(Ok((consumed_bytes, event))),
        Err(error) => Err(End::violation(&error)),
    }
}

fn check_status(response: &Response<'_>) -> Result<(), End> {
    if response.status == 200 {
        return Ok(());
    }
    let shown = &response.body[..response.body.len().min(80)];
    Err(End::Failed(
        FailureKind::Handshake,
        format!(
            "the server answered {} \"{}\"",
            response.status,
            shown.escape_ascii()
        ),
    ))
}

fn has_waiting(outbox: &mut Outbox) -> bool {
    match outbox.encoding() {
        Encoding::SocketIo(encoding) => encoding
            .waiting()
            .is_some_and(|waiting| !waiting.is_empty()),
        _ => false,
    }
}
