//! Encoder of long-polling bodies: Engine.IO protocol, version 4, "Packet encoding".

use base64::engine::{Engine, general_purpose::STANDARD};

use super::{BASE64_MARK, Packet, SEPARATOR, Version};

/// Appends a packet to a payload; `payload` must be empty before the first packet.
/// Panics if the data of a text packet contains the separator (U+001E), which a payload cannot
/// represent. Valid JSON never contains it.
pub fn encode_payload(packet: &Packet<'_>, payload: &mut Vec<u8>) {
    if !payload.is_empty() {
        payload.push(SEPARATOR);
    }
    let start = payload.len();
    match packet {
        Packet::Binary(data) => {
            payload.push(BASE64_MARK);
            let base64_bytes =
                base64::encoded_len(data.len(), true).expect("the data fits into memory");
            payload.resize(start + 1 + base64_bytes, 0);
            STANDARD
                .encode_slice(data, &mut payload[start + 1..])
                .expect("the length was computed");
        }
        _ => packet.encode(Version::V4, payload),
    }
    let has_separator = payload[start..].contains(&SEPARATOR);
    assert!(!has_separator, "a separator inside of a packet");
}
