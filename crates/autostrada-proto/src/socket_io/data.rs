//! Arguments of events and acknowledgements: Socket.IO protocol, version 5, "Packet encoding".

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::PacketError;

/// Names that the implementations reserve for their own events.
const RESERVED_EVENTS: [&str; 6] = [
    "connect",
    "connect_error",
    "disconnect",
    "disconnecting",
    "newListener",
    "removeListener",
];

/// Whether the name is reserved: an endpoint must not send an event with this name.
pub fn is_reserved_event(name: &str) -> bool {
    RESERVED_EVENTS.contains(&name)
}

/// The arguments of an event or an acknowledgement. The first argument of an event is its name.
#[derive(Debug, Clone, Copy)]
pub struct Data<'a> {
    /// A JSON array with a [`Placeholder`] in place of each attachment.
    pub arguments: &'a RawValue,
    /// Number of attachments that follow.
    pub attachments: usize,
}

impl<'a> Data<'a> {
    /// Checks that `arguments` is an array.
    pub(super) fn decode(arguments: &'a RawValue, attachments: usize) -> Result<Self, PacketError> {
        if !arguments.get().starts_with('[') {
            return Err(PacketError::Payload);
        }
        Ok(Self {
            arguments,
            attachments,
        })
    }

    /// Checks that `arguments` is an array that begins with a name that is not reserved.
    pub(super) fn decode_event(
        arguments: &'a RawValue,
        attachments: usize,
    ) -> Result<Self, PacketError> {
        let data = Self::decode(arguments, attachments)?;
        match data.event_name() {
            Some(name) if is_reserved_event(&name) => Err(PacketError::ReservedEvent),
            Some(_) => Ok(data),
            None => Err(PacketError::Payload),
        }
    }

    /// The name of an event: the first argument if it is a text or a number, otherwise `None`.
    ///
    /// A decoded event always has a name; an acknowledgement may have none.
    pub fn event_name(&self) -> Option<Cow<'a, str>> {
        let inside = self.arguments.get().strip_prefix('[')?.trim_ascii_start();
        let Some(text) = inside.strip_prefix('"') else {
            let is_of_number = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
            let length = inside.bytes().take_while(|byte| is_of_number(byte)).count();
            return (length > 0).then(|| Cow::Borrowed(&inside[..length]));
        };
        let end = text.find(['"', '\\'])?;
        if text[end..].starts_with('"') {
            return Some(Cow::Borrowed(&text[..end]));
        }
        // A name with escapes must be parsed.
        let mut elements = serde_json::Deserializer::from_str(inside).into_iter::<String>();
        elements.next()?.ok().map(Cow::Owned)
    }

    /// Checks that the number of each placeholder is that of an attachment.
    pub(super) fn check_placeholders(&self) -> Result<(), PacketError> {
        let mut json = serde_json::Deserializer::from_str(self.arguments.get());
        let search = PlaceholderSearch {
            attachments: self.attachments,
        };
        search
            .deserialize(&mut json)
            .map(drop)
            .map_err(PacketError::Placeholder)
    }
}

/// A JSON object that replaces an attachment in the arguments.
///
/// Serialize it in place of the attachment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placeholder {
    /// Number of the attachment, counted from 0.
    pub num: usize,
}

impl Serialize for Placeholder {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written {
            _placeholder: bool,
            num: usize,
        }
        Written {
            _placeholder: true,
            num: self.num,
        }
        .serialize(serializer)
    }
}

/// Checks the placeholders in any JSON value, to the nesting depth that `serde_json` allows.
#[derive(Clone, Copy)]
struct PlaceholderSearch {
    attachments: usize,
}

/// The properties of a value that its enclosing object needs.
enum Found {
    True,
    Number(u64),
    Other,
}

#[derive(Deserialize)]
#[serde(field_identifier)]
enum Key {
    #[serde(rename = "_placeholder")]
    Placeholder,
    #[serde(rename = "num")]
    Num,
    #[serde(other)]
    Other,
}

impl<'de> DeserializeSeed<'de> for PlaceholderSearch {
    type Value = Found;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Found, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for PlaceholderSearch {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("json")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Found, E> {
        Ok(if value { Found::True } else { Found::Other })
    }

    fn visit_u64<E>(self, value: u64) -> Result<Found, E> {
        Ok(Found::Number(value))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Found, E> {
        Ok(Found::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Found, E> {
        Ok(Found::Other)
    }

    fn visit_str<E>(self, _: &str) -> Result<Found, E> {
        Ok(Found::Other)
    }

    fn visit_unit<E>(self) -> Result<Found, E> {
        Ok(Found::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Found, A::Error> {
        while elements.next_element_seed(self)?.is_some() {}
        Ok(Found::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Found, A::Error> {
        let mut is_placeholder = false;
        let mut num = None;
        while let Some(key) = fields.next_key()? {
            let value = fields.next_value_seed(self)?;
            match (key, value) {
                (Key::Placeholder, Found::True) => is_placeholder = true,
                (Key::Num, Found::Number(number)) => num = Some(number),
                _ => {}
            }
        }
        let has_attachment = num.is_some_and(|num| num < self.attachments as u64);
        if is_placeholder && !has_attachment {
            return Err(A::Error::custom(
                "no attachment with the number of this placeholder",
            ));
        }
        Ok(Found::Other)
    }
}
