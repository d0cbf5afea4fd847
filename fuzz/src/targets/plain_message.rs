//! A simple reference reader of messages without compression, for comparison with the decoder.

use autostrada_proto::close::Close;
use autostrada_proto::frame::{FrameHeader, Opcode};
use autostrada_proto::message::{Event, Role};

/// The event of a frame, or the error that ends the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameEvent {
    Text(Vec<u8>),
    Binary(Vec<u8>),
    Ping(Vec<u8>),
    Pong(Vec<u8>),
    Close(Option<(u16, String)>),
    Fragment,
    Failed(u16),
}

impl From<Event<'_>> for FrameEvent {
    fn from(event: Event<'_>) -> Self {
        match event {
            Event::Text(text) => Self::Text(text.to_vec()),
            Event::Binary(bytes) => Self::Binary(bytes.to_vec()),
            Event::Ping(payload) => Self::Ping(payload.to_vec()),
            Event::Pong(payload) => Self::Pong(payload.to_vec()),
            Event::Close(close) => {
                Self::Close(close.map(|close| (close.code, close.reason.to_owned())))
            }
            Event::Fragment => Self::Fragment,
        }
    }
}

/// Reads all frames of a connection; returns the events, and whether a violation follows them.
pub fn read_plainly(role: Role, limit_bytes: usize, bytes: &[u8]) -> (Vec<FrameEvent>, bool) {
    let mut received = Vec::new();
    let is_valid = read_frames(role, limit_bytes, bytes, &mut received).is_some();
    (received, !is_valid)
}

/// Appends the events of all frames; returns `None` at a violation.
fn read_frames(
    role: Role,
    limit_bytes: usize,
    mut rest: &[u8],
    all_received: &mut Vec<FrameEvent>,
) -> Option<()> {
    let mut message = None;
    while let Some((header, header_bytes)) = FrameHeader::decode(rest).ok()? {
        is_allowed(role, limit_bytes, &header, message.as_ref()).then_some(())?;
        let length = usize::try_from(header.payload_length).ok()?;
        let body = &rest[header_bytes..];
        let is_complete = length <= body.len();
        let mut payload = body[..length.min(body.len())].to_vec();
        let key = header.masking_key.unwrap_or_default();
        for (byte, key_byte) in payload.iter_mut().zip(key.iter().cycle()) {
            *byte ^= key_byte;
        }
        let event = if header.opcode.is_control() {
            if !is_complete {
                break;
            }
            control_event(header.opcode, payload)?
        } else {
            let (kind, mut gathered) = message.take().unwrap_or((header.opcode, Vec::new()));
            gathered.extend(payload);
            let is_last = is_complete && header.fin;
            (kind != Opcode::Text || is_text(&gathered, is_last)).then_some(())?;
            if !is_complete {
                break;
            }
            match kind {
                _ if !is_last => {
                    message = Some((kind, gathered));
                    FrameEvent::Fragment
                }
                Opcode::Text => FrameEvent::Text(gathered),
                _ => FrameEvent::Binary(gathered),
            }
        };
        rest = &body[length..];
        let is_close = matches!(event, FrameEvent::Close(_));
        all_received.push(event);
        if is_close {
            break;
        }
    }
    Some(())
}

/// Whether a frame may follow the fragments of a message.
fn is_allowed(
    role: Role,
    limit_bytes: usize,
    header: &FrameHeader,
    message: Option<&(Opcode, Vec<u8>)>,
) -> bool {
    let left_bytes = limit_bytes - message.map_or(0, |(_, gathered)| gathered.len());
    let is_continuation = header.opcode == Opcode::Continuation;
    header.masking_key.is_some() == (role == Role::Server)
        && (header.opcode.is_control()
            || is_continuation == message.is_some() && header.payload_length <= left_bytes as u64)
}

/// Whether bytes are UTF-8, except for an incomplete last character before the end.
fn is_text(bytes: &[u8], is_whole: bool) -> bool {
    let invalid = str::from_utf8(bytes).err();
    invalid.is_none_or(|error| !is_whole && error.error_len().is_none())
}

fn control_event(opcode: Opcode, payload: Vec<u8>) -> Option<FrameEvent> {
    Some(match opcode {
        Opcode::Ping => FrameEvent::Ping(payload),
        Opcode::Pong => FrameEvent::Pong(payload),
        _ => Event::Close(Close::decode(&payload).ok()?).into(),
    })
}
