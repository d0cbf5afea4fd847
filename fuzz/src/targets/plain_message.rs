//! The messages of a connection, read in the plainest way, to compare the decoder with.

use autostrada_proto::message::{Event, Role};

use super::close_code::may_be_sent;

/// What a caller learns of a frame, or of the error that ends the connection.
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

/// What was read, and whether the peer broke the protocol after it.
pub struct Plain {
    pub received: Vec<Received>,
    pub failed: bool,
}

/// One frame, unmasked.
struct Frame {
    fin: bool,
    opcode: u8,
    payload: Vec<u8>,
    /// Whether all of its payload has come.
    is_whole: bool,
}

/// The peer broke the protocol.
struct Broken;

/// Reads all frames of a connection without compression.
#[must_use]
pub fn read_plainly(role: Role, limit_bytes: usize, bytes: &[u8]) -> Plain {
    let mut received = Vec::new();
    let failed = read_frames(role, limit_bytes, bytes, &mut received).is_err();
    Plain { received, failed }
}

fn read_frames(
    role: Role,
    limit_bytes: usize,
    mut rest: &[u8],
    all_received: &mut Vec<Received>,
) -> Result<(), Broken> {
    let mut unfinished: Option<(u8, Vec<u8>)> = None;
    loop {
        let gathered_bytes = unfinished.as_ref().map(|(_, gathered)| gathered.len());
        let Some((frame, after)) = split_frame(role, limit_bytes, gathered_bytes, rest)? else {
            return Ok(());
        };
        if !frame.is_whole {
            return front(unfinished, &frame);
        }
        rest = after;
        let received = meaning(&mut unfinished, frame)?;
        let is_last = matches!(received, Received::Close(_));
        all_received.push(received);
        if is_last {
            return Ok(());
        }
    }
}

/// Splits a frame off the front, or what has come of its payload; `None` when its header is not
/// whole and not known to be wrong.
fn split_frame(
    role: Role,
    limit_bytes: usize,
    gathered_bytes: Option<usize>,
    bytes: &[u8],
) -> Result<Option<(Frame, &[u8])>, Broken> {
    let &[first, second, ..] = bytes else {
        return Ok(None);
    };
    let (fin, opcode, is_masked) = (first >> 7 == 1, first & 0x0f, second >> 7 == 1);
    let is_control = opcode >= 8;
    let is_known = matches!(opcode, 0 | 1 | 2 | 8 | 9 | 10);
    if first & 0x70 != 0 || !is_known || is_control && (!fin || second & 0x7f > 125) {
        return Err(Broken);
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
            return Err(Broken);
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
        return Err(Broken);
    }
    let end = payload_start + usize::try_from(length).or(Err(Broken))?;
    let is_whole = bytes.len() >= end;
    let end = end.min(bytes.len());
    let payload = &bytes[payload_start..end];
    let key = &bytes[key_start..payload_start];
    let unmasked = |(index, byte): (usize, &u8)| byte ^ key.get(index % 4).unwrap_or(&0);
    let frame = Frame {
        fin,
        opcode,
        payload: payload.iter().enumerate().map(unmasked).collect(),
        is_whole,
    };
    Ok(Some((frame, &bytes[end..])))
}

/// A text is wrong from its first wrong byte on, whether or not its frame is whole.
fn front(unfinished: Option<(u8, Vec<u8>)>, frame: &Frame) -> Result<(), Broken> {
    if frame.opcode >= 8 {
        return Ok(());
    }
    let (kind, mut message) = unfinished.unwrap_or((frame.opcode, Vec::new()));
    message.extend_from_slice(&frame.payload);
    if kind == 1 && !may_become_utf8(&message) {
        return Err(Broken);
    }
    Ok(())
}

/// Whether it is UTF-8, but for a last character that is not whole.
fn may_become_utf8(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
}

fn meaning(unfinished: &mut Option<(u8, Vec<u8>)>, frame: Frame) -> Result<Received, Broken> {
    match frame.opcode {
        8 => return close(&frame.payload),
        9 => return Ok(Received::Ping(frame.payload)),
        10 => return Ok(Received::Pong(frame.payload)),
        _ => {}
    }
    let (kind, mut message) = unfinished.take().unwrap_or((frame.opcode, Vec::new()));
    message.extend(frame.payload);
    if kind == 1 && (!may_become_utf8(&message) || frame.fin && str::from_utf8(&message).is_err()) {
        return Err(Broken);
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

fn close(payload: &[u8]) -> Result<Received, Broken> {
    match payload {
        [] => Ok(Received::Close(None)),
        [_] => Err(Broken),
        [high, low, reason @ ..] => {
            let code = u16::from_be_bytes([*high, *low]);
            let reason = String::from_utf8(reason.to_vec()).or(Err(Broken))?;
            if !may_be_sent(code) {
                return Err(Broken);
            }
            Ok(Received::Close(Some((code, reason))))
        }
    }
}
