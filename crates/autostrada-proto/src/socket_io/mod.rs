//! Socket.IO: namespaces, events, acknowledgements, attachments. Socket.IO protocol, version 5.
//!
//! A [`Packet`] is the text of an Engine.IO message. Binary data in its
//! arguments is replaced by placeholders and sent in separate messages, the
//! attachments. An [`Assembler`] joins packets and attachments.

use thiserror::Error;

mod assembler;
mod data;
mod decode;
mod packet;

pub use assembler::{Assembled, Assembler, Attachments};
pub use data::{Data, Placeholder, is_reserved_event};
pub use packet::{MAIN_NAMESPACE, Packet, PacketKind};

/// A violation of the protocol by the other endpoint. The connection has failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PacketError {
    /// The packet is empty, or its first byte is not a packet type.
    #[error("packet of unknown type")]
    UnknownType,
    /// A binary packet does not begin with a positive number of attachments and a dash.
    #[error("binary packet without a valid number of attachments")]
    AttachmentCount,
    /// An acknowledgement has no id, or an id does not fit into 64 bits.
    #[error("packet without a valid acknowledgement id")]
    AckId,
    #[error("namespace that is not valid utf-8")]
    Namespace(#[source] std::str::Utf8Error),
    #[error("payload that is not valid json")]
    Json(#[source] serde_json::Error),
    /// The payload is missing, not allowed, or of a JSON type that the packet type does not allow.
    #[error("payload that the packet type does not allow")]
    Payload,
    #[error("event with a reserved name")]
    ReservedEvent,
    /// A placeholder has no attachment, or the arguments are nested too deeply.
    #[error("placeholder without an attachment")]
    Placeholder(#[source] serde_json::Error),
    #[error("text instead of an attachment")]
    TextForAttachment,
    #[error("unexpected attachment")]
    UnexpectedAttachment,
    #[error("more attachments than the limit of this endpoint")]
    TooManyAttachments,
    /// The packet with its attachments.
    #[error("packet longer than the limit of this endpoint")]
    TooLong,
}
