//! Long-polling bodies: Engine.IO protocol, version 4, "Packet encoding".

use base64::engine::{Engine, general_purpose::STANDARD};

use super::BASE64_MARK;
use crate::frame::Opcode;

/// Separator of the packets in a payload.
const SEPARATOR: u8 = 0x1e;

/// Appends the packet that is a WebSocket message to a payload; `payload` must be empty before the
/// first packet.
/// Panics if a text contains the separator (U+001E), which a payload cannot represent. Valid JSON
/// never contains it.
pub fn encode_payload(opcode: Opcode, message: &[u8], payload: &mut Vec<u8>) {
    if !payload.is_empty() {
        payload.push(SEPARATOR);
    }
    if opcode == Opcode::Binary {
        payload.push(BASE64_MARK);
        payload.extend_from_slice(STANDARD.encode(message).as_bytes());
    } else {
        let has_separator = message.contains(&SEPARATOR);
        assert!(!has_separator, "a separator inside of a packet");
        payload.extend_from_slice(message);
    }
}

/// Returns the packets of a payload, each of which is a WebSocket text message.
pub fn split_payload(payload: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_empty = payload.is_empty();
    payload
        .split(|&byte| byte == SEPARATOR)
        .filter(move |_| !is_empty)
}
