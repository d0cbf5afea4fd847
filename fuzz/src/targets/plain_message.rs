//! A simple reference reader of messages, for comparison with the decoder.

use autostrada_proto::message::{Event, Role};

use super::close_code::may_be_sent;

/// The event of a frame, or the error that ends the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    Text(Vec<u8>),
    Binary(Vec<u8>),
    Ping(Vec<u8>),
    Pong(Vec<u8>),
    Close(Option<(u16, String)>),
    Fragment,
    Failed(u16),
}

impl From<Event<'_>> for Received {
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

/// The events, and whether a protocol violation follows them.
pub struct PlainEvents {
    pub received: Vec<Received>,
    pub failed: bool,
}

/// One frame, unmasked.
struct Frame {
    fin: bool,
    opcode: u8,
    payload: Vec<u8>,
    /// Whether the payload is complete.
    is_complete: bool,
}

/// A protocol violation.
struct Violation;

/// Reads all frames of a connection without compression.
pub fn read_plainly(role: Role, limit_bytes: usize, bytes: &[u8]) -> PlainEvents {
    let mut received = Vec::new();
    let failed = read_frames(role, limit_bytes, bytes, &mut received).is_err();
    PlainEvents { received, failed }
}

fn read_frames(
    role: Role,
    limit_bytes: usize,
    mut rest: &[u8],
    all_received: &mut Vec<Received>,
) -> Result<(), Violation> {
    let mut unfinished: Option<(u8, Vec<u8>)> = None;
    loop {
        let gathered_bytes = unfinished.as_ref().map(|(_, gathered)| gathered.len());
        let Some((frame, after)) = split_frame(role, limit_bytes, gathered_bytes, rest)? else {
            return Ok(());
        };
        if !frame.is_complete {
            return check_incomplete(unfinished, &frame);
        }
        rest = after;
        let received = interpret(&mut unfinished, frame)?;
        let is_last = matches!(received, Received::Close(_));
        all_received.push(received);
        if is_last {
            return Ok(());
        }
    }
}

/// Splits off a frame, possibly with an incomplete payload; `None` if the header is incomplete
/// and not known to be invalid.
fn split_frame(
    role: Role,
    limit_bytes: usize,
    gathered_bytes: Option<usize>,
    bytes: &[u8],
) -> Result<Option<(Frame, &[u8])>, Violation> {
    let &[first, second, ..] = bytes else {
        return Ok(None);
    };
    let (fin, opcode, is_masked) = (first >> 7 == 1, first & 0x0f, second >> 7 == 1);
    let is_control = opcode >= 8;
    let is_known = matches!(opcode, 0 | 1 | 2 | 8 | 9 | 10);
    if first & 0x70 != 0 || !is_known || is_control && (!fin || second & 0x7f > 125) {
        return Err(Violation);
    }
    let (length_bytes, shorter_max) = match second & 0x7f {
        126 => (2, 125),
        127 => (8, 65_535),
        _ => (0, 0),
    };
    let key_start = 2 + length_bytes;
    if bytes.len() < key_start {
        return Ok(None);
    }
    let length = if length_bytes == 0 {
        u64::from(second & 0x7f)
    } else {
        let digits = bytes[2..key_start].iter();
        let length = digits.fold(0, |length, &digit| length << 8 | u64::from(digit));
        if length <= shorter_max || length >> 63 == 1 {
            return Err(Violation);
        }
        length
    };
    let payload_start = key_start + if is_masked { 4 } else { 0 };
    if bytes.len() < payload_start {
        return Ok(None);
    }
    let may_begin = matches!(opcode, 1 | 2) && gathered_bytes.is_none();
    let may_continue = opcode == 0 && gathered_bytes.is_some();
    let most = limit_bytes - gathered_bytes.unwrap_or(0);
    if is_masked != (role == Role::Server)
        || !(is_control || may_begin || may_continue)
        || !is_control && length > most as u64
    {
        return Err(Violation);
    }
    let end = payload_start + usize::try_from(length).or(Err(Violation))?;
    let is_complete = bytes.len() >= end;
    let end = end.min(bytes.len());
    let payload = &bytes[payload_start..end];
    let key = &bytes[key_start..payload_start];
    let unmasked = |(index, byte): (usize, &u8)| byte ^ key.get(index % 4).unwrap_or(&0);
    let frame = Frame {
        fin,
        opcode,
        payload: payload.iter().enumerate().map(unmasked).collect(),
        is_complete,
    };
    Ok(Some((frame, &bytes[end..])))
}

/// Checks the received part of a text, whether or not its frame is complete.
fn check_incomplete(unfinished: Option<(u8, Vec<u8>)>, frame: &Frame) -> Result<(), Violation> {
    if frame.opcode >= 8 {
        return Ok(());
    }
    let (kind, mut message) = unfinished.unwrap_or((frame.opcode, Vec::new()));
    message.extend_from_slice(&frame.payload);
    if kind == 1 && !may_become_utf8(&message) {
        return Err(Violation);
    }
    Ok(())
}

/// Whether the bytes are UTF-8, except for an incomplete last character.
fn may_become_utf8(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
}

fn interpret(unfinished: &mut Option<(u8, Vec<u8>)>, frame: Frame) -> Result<Received, Violation> {
    match frame.opcode {
        8 => return close(&frame.payload),
        9 => return Ok(Received::Ping(frame.payload)),
        10 => return Ok(Received::Pong(frame.payload)),
        _ => {}
    }
    let (kind, mut message) = unfinished.take().unwrap_or((frame.opcode, Vec::new()));
    message.extend(frame.payload);
    if kind == 1 && (!may_become_utf8(&message) || frame.fin && str::from_utf8(&message).is_err()) {
        return Err(Violation);
    }
    Ok(match (frame.fin, kind) {
        (false, _) => {
            *unfinished = Some((kind, message));
            Received::Fragment
        }
        (true, 1) => Received::Text(message),
        (true, _) => Received::Binary(message),
    })
}

fn close(payload: &[u8]) -> Result<Received, Violation> {
    match payload {
        [] => Ok(Received::Close(None)),
        [_] => Err(Violation),
        [high, low, reason @ ..] => {
            let code = u16::from_be_bytes([*high, *low]);
            let reason = String::from_utf8(reason.to_vec()).or(Err(Violation))?;
            if !may_be_sent(code) {
                return Err(Violation);
            }
            Ok(Received::Close(Some((code, reason))))
        }
    }
}
