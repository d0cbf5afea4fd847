//! Socket.IO over long-polling: packets are sent by POST on one connection and received by GET on
//! another.

use autostrada_measure::FailureKind;
use autostrada_proto::decoded::Decoded;
use autostrada_proto::engine_io::Version;
use autostrada_proto::http::client::{Event, Response, ResponseDecoder};

use super::socket_io::{Change, SocketIo};
use super::{Consumed, Delivery, SessionConfig, handshake_failure};
use crate::client::end::End;
use crate::client::sending::{Encoding, Outbox};
use crate::client::workload::Workload;

/// Maximum length of a received body.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

/// Maximum number of packets in one request: the limit of python-engineio.
const PACKETS_PER_REQUEST_MAX: usize = 16;

/// Maximum length of a request body if the server does not specify one: the default of Engine.IO.
const REQUEST_BYTES_MAX: u64 = 1_000_000;

/// The byte between two packets of a body.
const SEPARATOR: u8 = 0x1e;

/// A Socket.IO session over long-polling.
#[derive(Debug)]
pub struct Polling {
    socket_io: SocketIo,
    /// Target of all requests except the first; `None` until the server has sent the session
    /// identifier.
    target: Option<String>,
    request_bytes_max: u64,
    /// Decoder of responses to the first request and to POST requests.
    answers: ResponseDecoder,
    /// Whether a response to one of these requests is outstanding.
    is_answer_due: bool,
    /// Decoder of responses to GET requests.
    polls: ResponseDecoder,
    /// Whether a response to a GET request is outstanding.
    is_poll_due: bool,
}

impl Polling {
    /// Creates a session that has not sent any request.
    pub fn new() -> Self {
        Self {
            socket_io: SocketIo::new(Version::V4, None),
            target: None,
            request_bytes_max: REQUEST_BYTES_MAX,
            answers: ResponseDecoder::new(MAX_BODY_BYTES),
            is_answer_due: false,
            polls: ResponseDecoder::new(MAX_BODY_BYTES),
            is_poll_due: false,
        }
    }

    /// Appends the request that opens the session of the connection with this index within the thread.
    pub fn begin(
        &mut self,
        connection: usize,
        session_config: &SessionConfig<'_>,
        outbox: &mut Outbox,
    ) -> Result<(), End> {
        self.is_answer_due = true;
        self.socket_io = SocketIo::new(Version::V4, session_config.auth(connection));
        session_config
            .requests
            .encode_get(session_config.path, outbox.bytes())
            .map_err(|error| handshake_failure(error.to_string()))
    }

    /// Whether a response is outstanding on the connection of the POST requests. If not, the server
    /// may close it as idle.
    pub fn is_answer_due(&self) -> bool {
        self.is_answer_due
    }

    /// Whether a response is outstanding on the connection of the GET requests.
    pub fn is_poll_due(&self) -> bool {
        self.is_poll_due
    }

    /// Appends a POST request with queued packets, unless a response is outstanding.
    pub fn post_queued(
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
        let Some(queue) = encoding.queue() else {
            return Ok(());
        };
        let Some(mut body) = queue.pop(u64::MAX) else {
            return Ok(());
        };
        for _ in 1..PACKETS_PER_REQUEST_MAX {
            let left_bytes = self.request_bytes_max.checked_sub(body.len() as u64 + 1);
            let Some(next) = left_bytes.and_then(|bytes| queue.pop(bytes)) else {
                break;
            };
            body.push(SEPARATOR);
            body.extend(next);
        }
        self.is_answer_due = true;
        session_config
            .requests
            .encode_post(target, &body, bytes)
            .map_err(|error| handshake_failure(error.to_string()))
    }

    /// Appends the next GET request, unless a response is outstanding.
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
            .map_err(|error| handshake_failure(error.to_string()))
    }

    /// Decodes responses on the connection of the POST requests.
    pub fn process_answers<W: Workload>(
        &mut self,
        input: &[u8],
        session_config: &SessionConfig<'_>,
        to: &mut Delivery<'_, W>,
    ) -> Result<Consumed, End> {
        let mut bytes = 0;
        loop {
            let front = check_requested(self.is_answer_due, &input[bytes..])?;
            let (consumed_bytes, event) = match decode(&mut self.answers, front)? {
                Ok(decoded) => decoded,
                Err(needed_bytes) => {
                    return Ok(Consumed {
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
                if to.outbox.is_closing() && !has_queued(to.outbox) {
                    return Err(End::Done);
                }
                continue;
            }
            match self
                .socket_io
                .process_payload(response.body, session_config, to)?
            {
                Change::Described(session) => {
                    self.target = Some(format!("{}&sid={}", session_config.path, session.sid));
                    if let Some(bytes) = session.max_payload_bytes {
                        self.request_bytes_max = bytes;
                    }
                }
                Change::None | Change::Joined => {
                    return Err(handshake_failure(
                        "the first response does not describe a session",
                    ));
                }
            }
        }
    }

    /// Decodes responses on the connection of the GET requests.
    pub fn process_polls<W: Workload>(
        &mut self,
        input: &[u8],
        session_config: &SessionConfig<'_>,
        to: &mut Delivery<'_, W>,
    ) -> Result<Consumed, End> {
        let mut consumed = Consumed {
            bytes: 0,
            needed_bytes: 0,
            has_opened: false,
        };
        loop {
            let front = check_requested(self.is_poll_due, &input[consumed.bytes..])?;
            let (consumed_bytes, event) = match decode(&mut self.polls, front)? {
                Ok(decoded) => decoded,
                Err(needed_bytes) => {
                    consumed.needed_bytes = needed_bytes;
                    return Ok(consumed);
                }
            };
            consumed.bytes += consumed_bytes;
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
                .process_payload(response.body, session_config, to)?;
            consumed.has_opened |= change == Change::Joined;
        }
    }
}

/// Checks that received bytes answer an outstanding request.
fn check_requested(is_due: bool, input: &[u8]) -> Result<&[u8], End> {
    if is_due || input.is_empty() {
        return Ok(input);
    }
    let text = "the server sent a response without a request".to_owned();
    Err(End::Failed(FailureKind::Protocol, text))
}

type DecodedEvent<'a> = Result<(usize, Event<'a>), usize>;

/// Decodes the event at the front of the input; returns its length and the event, or the number of
/// bytes needed to continue.
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

fn has_queued(outbox: &mut Outbox) -> bool {
    match outbox.encoding() {
        Encoding::SocketIo(encoding) => encoding.queue().is_some_and(|queue| !queue.is_empty()),
        _ => false,
    }
}
