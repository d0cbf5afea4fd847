//! Socket.IO: namespaces, events, acknowledgements, attachments. Socket.IO protocol, version 5.
//!
//! A [`Packet`] is the text of an Engine.IO message. Binary data in its
//! arguments is replaced by placeholders and follows as messages of its own,
//! the attachments, which an [`Assembler`] joins with their packet.

use std::error::Error;
use std::fmt;

mod assembler;
mod data;
mod decode;
mod packet;

pub use assembler::{Assembled, Assembler, Attachments};
pub use data::{Data, Placeholder, is_reserved_event};
pub use packet::{MAIN_NAMESPACE, Packet, PacketKind};

/// What the other endpoint did wrong. The connection cannot go on.
#[derive(Debug)]
#[non_exhaustive]
pub enum PacketError {
    /// The first byte is no packet type.
    UnknownType,
    /// A binary packet that does not begin with the number of its attachments, at least one.
    AttachmentCount,
    /// An acknowledgement without the number of its event, or a number that is too large.
    AckId,
    /// A namespace that is not valid UTF-8.
    Namespace(std::str::Utf8Error),
    /// The payload is not valid JSON.
    Json(serde_json::Error),
    /// The payload is missing, superfluous, or of a type that such a packet cannot have.
    Payload,
    /// An event whose name is not for users.
    ReservedEvent,
    /// A placeholder without its attachment, or too deep inside of its arguments.
    Placeholder(serde_json::Error),
    /// A text where an attachment was due.
    TextForAttachment,
    /// Binary data that belongs to no packet.
    StrayAttachment,
    /// More attachments than the bound of this endpoint.
    TooManyAttachments,
    /// A packet that is, with its attachments, longer than the bound of this endpoint.
    TooLong,
}

impl fmt::Display for PacketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownType => "packet of unknown type",
            Self::AttachmentCount => "binary packet without the number of its attachments",
            Self::AckId => "acknowledgement without the number of its event",
            Self::Namespace(_) => "namespace that is not valid utf-8",
            Self::Json(_) => "payload that is not valid json",
            Self::Payload => "payload that does not fit the type of its packet",
            Self::ReservedEvent => "event with a reserved name",
            Self::Placeholder(_) => "placeholder without its attachment",
            Self::TextForAttachment => "text where an attachment was due",
            Self::StrayAttachment => "binary data that belongs to no packet",
            Self::TooManyAttachments => "more attachments than the bound of this endpoint",
            Self::TooLong => "packet longer than the bound of this endpoint",
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
