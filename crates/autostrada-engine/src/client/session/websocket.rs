//! WebSocket: the response to the opening request, and frames.

use autostrada_measure::Nanos;
use autostrada_net::clock;
use autostrada_proto::close::{self, Close, ProtocolError};
use autostrada_proto::frame::Opcode;
use autostrada_proto::handshake::client::{HandshakeError, Response};
use autostrada_proto::handshake::server::Request;
use autostrada_proto::message::{Decoded, Event, MessageDecoder};

use super::{Consumed, Delivery, SessionConfig, handshake_failure};
use crate::client::end::End;
use crate::client::sending::Outbox;
use crate::client::workload::Workload;

/// Maximum number of bytes of a refusal's body in the message about it.
const EXCERPT_BYTES: usize = 80;

/// Maximum number of characters of a close frame's reason in the message about it.
const EXCERPT_CHARACTERS: usize = 100;

/// The response to a request for another path.
const NOT_FOUND: &[u8] =
    b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/// Statuses of a server that takes no more connections: RFC 6585, section 4, and RFC 9110, section
/// 15.6.4.
const FULL: [u16; 2] = [429, 503];

/// Decodes the response to the opening request; returns `None` if it is incomplete.
pub fn read_response(
    key: [u8; 16],
    input: &[u8],
    session_config: &SessionConfig<'_>,
) -> Result<Option<Response>, End> {
    session_config
        .handshake
        .decode_response(key, input)
        .map_err(|error| {
            let text = with_body(&error, input);
            match error {
                HandshakeError::Status { code, .. } if FULL.contains(&code) => End::Full(text),
                _ => handshake_failure(text),
            }
        })
}

/// Decodes the opening request of a client and appends the response; returns the length of the
/// request, or `None` if it is incomplete.
/// Returns a failure, after the response that says why, if the request is malformed or asks for
/// another path.
pub fn answer_request(input: &[u8], path: &str, outbox: &mut Outbox) -> Result<Option<usize>, End> {
    match Request::decode(input) {
        Ok(None) => Ok(None),
        Ok(Some(request)) if request.path == path => {
            request.encode_response(outbox.bytes());
            Ok(Some(request.consumed_bytes))
        }
        Ok(Some(request)) => {
            outbox.bytes().extend_from_slice(NOT_FOUND);
            Err(handshake_failure(format!(
                "a client asked for {:?} instead of {path:?}",
                request.path
            )))
        }
        Err(rejection) => {
            rejection.encode_response(outbox.bytes());
            Err(handshake_failure(rejection.to_string()))
        }
    }
}

/// The error with the first bytes of a refusal's body, as far as they were received.
fn with_body(error: &HandshakeError, input: &[u8]) -> String {
    let HandshakeError::Status { consumed_bytes, .. } = error else {
        return error.to_string();
    };
    let body = &input[*consumed_bytes..];
    let excerpt = String::from_utf8_lossy(&body[..body.len().min(EXCERPT_BYTES)]);
    match excerpt.trim() {
        "" => error.to_string(),
        excerpt => format!("{error}: {excerpt:?}"),
    }
}

/// Decodes frames and passes complete messages to the workload.
///
/// Not inlined: next to the code of the other protocols, its loop would have fewer registers.
#[inline(never)]
pub fn process<W: Workload>(
    decoder: &mut MessageDecoder,
    input: &mut [u8],
    session_config: &mut SessionConfig<'_>,
    to: &mut Delivery<'_, W>,
) -> Result<Consumed, Box<End>> {
    let has_known_frames = to.workload.has_known_frames();
    let mut bytes = 0;
    let mut deliver = |frame: Frame<'_>, to: &mut Delivery<'_, W>| match frame {
        Frame::Message(opcode, payload) => Ok(to.deliver(opcode, payload)?),
        Frame::Nothing => Ok(()),
    };
    loop {
        if has_known_frames && decoder.is_between_messages() {
            let front = &input[bytes..];
            bytes += to
                .workload
                .consume_known(to.connection, front, to.outbox, to.now);
        }
        match decode_frame(
            decoder,
            &mut input[bytes..],
            session_config,
            to,
            &mut deliver,
        )? {
            Step::Incomplete { needed_bytes } => {
                return Ok(Consumed::incomplete(bytes, needed_bytes));
            }
            Step::Frame {
                bytes: frame_bytes, ..
            } => {
                bytes += frame_bytes;
                if bytes == input.len() || to.has_backpressure() {
                    return Ok(Consumed::up_to(bytes));
                }
            }
        }
    }
}

/// The content of a frame for the user of the protocol.
pub enum Frame<'a> {
    /// A complete message.
    Message(Opcode, &'a [u8]),
    /// A control frame, or a fragment.
    Nothing,
}

/// The outcome of decoding the front of the input.
pub enum Step<T> {
    /// The input has only a part of a frame.
    Incomplete {
        /// Number of bytes needed to continue.
        needed_bytes: usize,
    },
    /// A frame was decoded.
    Frame {
        /// Length of the frame.
        bytes: usize,
        /// Value that `handle` returned for it.
        value: T,
    },
}

/// Decodes one frame, answers pings and closing frames, and passes the content to `handle`.
#[expect(clippy::inline_always, reason = "it is the body of the hottest loop")]
#[inline(always)]
pub fn decode_frame<W: Workload, T>(
    decoder: &mut MessageDecoder,
    input: &mut [u8],
    session_config: &mut SessionConfig<'_>,
    to: &mut Delivery<'_, W>,
    handle: &mut impl FnMut(Frame<'_>, &mut Delivery<'_, W>) -> Result<T, Box<End>>,
) -> Result<Step<T>, Box<End>> {
    let begun = decoder.inflater().map(|_| clock::now());
    let front = decoder.decode(input);
    if let Some(begun) = begun {
        session_config.granted.compression.received.busy_ns += elapsed(begun);
    }
    let (consumed_bytes, event) = match front {
        Ok(Decoded::Incomplete { needed_bytes }) => {
            return Ok(Step::Incomplete { needed_bytes });
        }
        Ok(Decoded::Event {
            consumed_bytes,
            event,
        }) => (consumed_bytes, event),
        Err(error) => return Err(close_with_violation(error, to.outbox).into()),
    };
    let frame = match event {
        Event::Text(payload) => Frame::Message(Opcode::Text, payload),
        Event::Binary(payload) => Frame::Message(Opcode::Binary, payload),
        Event::Ping(payload) => {
            to.outbox.pong(payload);
            Frame::Nothing
        }
        Event::Close(_) if to.outbox.is_closing() => return Err(End::Done.into()),
        Event::Close(received) => {
            return Err(close_as_received(received, to.outbox).into());
        }
        Event::Pong(payload) => {
            let records = to.workload.records();
            records
                .round_trips
                .record(payload, to.now)
                .map_err(End::Unrecorded)?;
            Frame::Nothing
        }
        Event::Fragment => Frame::Nothing,
    };
    Ok(Step::Frame {
        bytes: consumed_bytes,
        value: handle(frame, to)?,
    })
}

/// Answers a closing frame with its code; returns the end of the connection.
#[cold]
fn close_as_received(received: Option<Close<'_>>, outbox: &mut Outbox) -> End {
    let code = received.map_or(close::NORMAL, |received| received.code);
    outbox.close(code);
    let reason = received.map_or_else(String::new, |received| visible_reason(received.reason));
    End::Closed(code, reason)
}

/// Returns the first characters of a reason; those that are not visible are escaped, because they
/// could change what a terminal shows.
fn visible_reason(reason: &str) -> String {
    let mut visible = String::new();
    for (number, character) in reason.chars().enumerate() {
        if number == EXCERPT_CHARACTERS {
            visible.push('…');
            break;
        }
        match character {
            '\'' | '"' => visible.push(character),
            _ => visible.extend(character.escape_debug()),
        }
    }
    visible
}

/// Starts the closing handshake with the code of a protocol error; returns the failure.
pub fn close_with_violation(error: ProtocolError, outbox: &mut Outbox) -> End {
    outbox.close(error.close_code());
    End::violation(&error)
}

fn elapsed(begun: Nanos) -> Nanos {
    clock::now() - begun
}
