//! WebSocket and what is spoken beside it as bytes, for both roles, without I/O, clock or chance.
//!
//! Bytes come in as slices and go out into vectors; masking and handshake keys
//! are arguments. Too few bytes are never an error: whatever decodes says that
//! it wants more, and is called again with more. Whatever it keeps is bounded.
//!
//! | module | what | by |
//! |---|---|---|
//! | [`handshake`] | the upgrade, for client and server | RFC 6455, 4 |
//! | [`frame`] | opcodes, frame headers, one-frame encoder | RFC 6455, 5.2 |
//! | [`mask`] | masking and unmasking in place | RFC 6455, 5.3 |
//! | [`message`] | from frames to messages, and back | RFC 6455, 5.4 to 5.6 |
//! | [`close`] | close codes, close payloads, the errors that fail a connection | RFC 6455, 7.4 |
//! | [`deflate`] | permessage-deflate: negotiation, compression | RFC 7692 |
//! | [`repeat`] | counting copies of one known frame at the speed of memory | — |
//! | [`feed`] | the messages of a feed, and what stands at their front | — |
//! | [`framed`] | messages behind their length, without WebSocket | — |
//! | [`http`] | requests and responses for long-polling | RFC 9112 |
//! | [`engine_io`] | packets over WebSocket and over long-polling | Engine.IO protocol, version 4 |
//! | [`socket_io`] | events, acknowledgements, attachments | Socket.IO protocol, version 5 |
//! | [`decoded`] | what every decoder answers | — |

#![forbid(unsafe_code)]

mod buffer;
pub mod close;
pub mod decoded;
pub mod deflate;
pub mod engine_io;
pub mod feed;
pub mod frame;
pub mod framed;
pub mod handshake;
pub mod http;
pub mod mask;
pub mod message;
pub mod repeat;
pub mod socket_io;
mod utf8;
