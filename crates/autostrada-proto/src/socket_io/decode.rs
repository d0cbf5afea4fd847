//! Decoder of the text of packets: Socket.IO protocol, version 5, "Packet encoding".

use serde_json::value::RawValue;

use super::{Data, MAIN_NAMESPACE, Packet, PacketError, PacketKind};

impl<'a> Packet<'a> {
    /// Decodes the text of an Engine.IO message.
    ///
    /// JSON is validated but not deserialized; the packet borrows it from `text`.
    pub fn decode(text: &'a [u8]) -> Result<Self, PacketError> {
        let (&kind, rest) = text.split_first().ok_or(PacketError::UnknownType)?;
        let (attachments, rest) = match kind {
            b'0'..=b'4' => (0, rest),
            b'5' | b'6' => split_attachment_count(rest)?,
            _ => return Err(PacketError::UnknownType),
        };
        let (namespace, rest) = split_namespace(rest)?;
        let (ack_id, rest) = match kind {
            b'2' | b'3' | b'5' | b'6' => split_ack_id(rest)?,
            _ => (None, rest),
        };
        let payload = match rest {
            [] => None,
            json => Some(serde_json::from_slice(json).map_err(PacketError::Json)?),
        };
        let kind = match (kind, payload) {
            (b'0', None) => PacketKind::Connect(None),
            (b'0', Some(payload)) if is_object(payload) => PacketKind::Connect(Some(payload)),
            (b'1', None) => PacketKind::Disconnect,
            (b'2' | b'5', Some(payload)) => PacketKind::Event {
                ack_id,
                data: Data::decode_event(payload, attachments)?,
            },
            (b'3' | b'6', Some(payload)) => PacketKind::Ack {
                ack_id: ack_id.ok_or(PacketError::AckId)?,
                data: Data::decode(payload, attachments)?,
            },
            (b'4', Some(payload)) if is_object(payload) || is_string(payload) => {
                PacketKind::ConnectError(payload)
            }
            _ => return Err(PacketError::Payload),
        };
        Ok(Self { namespace, kind })
    }
}

fn is_object(json: &RawValue) -> bool {
    json.get().starts_with('{')
}

fn is_string(json: &RawValue) -> bool {
    json.get().starts_with('"')
}

/// Splits off the number of attachments and the dash after it.
fn split_attachment_count(rest: &[u8]) -> Result<(usize, &[u8]), PacketError> {
    match split_number(rest) {
        (Some(count), [b'-', rest @ ..]) if count > 0 => match usize::try_from(count) {
            Ok(count) => Ok((count, rest)),
            Err(_) => Err(PacketError::TooManyAttachments),
        },
        _ => Err(PacketError::AttachmentCount),
    }
}

/// Splits off a namespace and the comma after it; at the end of the text the comma is optional.
fn split_namespace(rest: &[u8]) -> Result<(&str, &[u8]), PacketError> {
    if !rest.starts_with(b"/") {
        return Ok((MAIN_NAMESPACE, rest));
    }
    let mut parts = rest.splitn(2, |&byte| byte == b',');
    let namespace = parts.next().unwrap_or_default();
    let namespace = str::from_utf8(namespace).map_err(PacketError::Namespace)?;
    Ok((namespace, parts.next().unwrap_or_default()))
}

/// Splits off the acknowledgement id, if there is one.
fn split_ack_id(rest: &[u8]) -> Result<(Option<u64>, &[u8]), PacketError> {
    if !rest.first().is_some_and(u8::is_ascii_digit) {
        return Ok((None, rest));
    }
    match split_number(rest) {
        (None, _) => Err(PacketError::AckId),
        number => Ok(number),
    }
}

/// Splits off leading digits; their number is `None` if there are no digits or it overflows.
fn split_number(rest: &[u8]) -> (Option<u64>, &[u8]) {
    let is_digit = |byte: &&u8| byte.is_ascii_digit();
    let digits = rest.iter().take_while(is_digit).count();
    let (digits, rest) = rest.split_at(digits);
    let number = digits.iter().try_fold(0_u64, |number, digit| {
        number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
    });
    (number.filter(|_| !digits.is_empty()), rest)
}
