//! Socket.IO: namespaces, events, acknowledgements, attachments. Socket.IO protocol, version 5.
//!
//! A [`Packet`] is the text of an Engine.IO message. Binary data in its
//! arguments is replaced by placeholders and sent in separate messages, the
//! attachments. An [`Assembler`] joins packets and attachments.

use std::error::Error;
use std::fmt;

mod assembler;
mod data;
mod decode;
mod packet;

pub use assembler::{Assembled, Assembler, Attachments};
pub use data::{Data, Placeholder, is_reserved_event};
pub use packet::{MAIN_NAMESPACE, Packet, PacketKind};

/// A violation of the protocol by the other endpoint. The connection has failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum PacketError {
    /// The packet is empty, or its first byte is not a packet type.
    UnknownType,
    /// A binary packet does not begin with a positive number of attachments and a dash.
    AttachmentCount,
    /// An acknowledgement has no id, or an id does not fit into 64 bits.
    AckId,
    /// The namespace is not valid UTF-8.
    Namespace(std::str::Utf8Error),
    /// The payload is not valid JSON.
    Json(serde_json::Error),
    /// The payload is missing, not allowed, or of a JSON type that the packet type does not allow.
    Payload,
    /// The name of an event is reserved.
    ReservedEvent,
    /// A placeholder has no attachment, or the arguments are nested too deeply.
    Placeholder(serde_json::Error),
    /// A text was received instead of an attachment.
    TextForAttachment,
    /// Binary data was received when no attachment was expected.
    UnexpectedAttachment,
    /// The packet has more attachments than the limit of this endpoint.
    TooManyAttachments,
    /// The packet with its attachments is longer than the limit of this endpoint.
    TooLong,
}

impl fmt::Display for PacketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownType => "packet of unknown type",
            Self::AttachmentCount => "binary packet without a valid number of attachments",
            Self::AckId => "packet without a valid acknowledgement id",
            Self::Namespace(_) => "namespace that is not valid utf-8",
            Self::Json(_) => "payload that is not valid json",
            Self::Payload => "payload that the packet type does not allow",
            Self::ReservedEvent => "event with a reserved name",
            Self::Placeholder(_) => "placeholder without an attachment",
            Self::TextForAttachment => "text instead of an attachment",
            Self::UnexpectedAttachment => "unexpected attachment",
            Self::TooManyAttachments => "more attachments than the limit of this endpoint",
            Self::TooLong => "packet longer than the limit of this endpoint",
        })
    }
}

impl Error for PacketError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Namespace(cause) => Some(cause),
            Self::Json(cause) | Self::Placeholder(cause) => Some(cause),
            _ => None,
        }
    }
}
