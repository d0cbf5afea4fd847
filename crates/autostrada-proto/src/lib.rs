//! Sans-I/O codecs for WebSocket and related protocols, for clients and servers.
//!
//! The crate does no I/O, reads no clock and draws no random numbers. Input is
//! passed as slices and output is appended to vectors; masking and handshake
//! keys are arguments. Incomplete input is not an error: a decoder reports that
//! it needs more bytes, and the caller calls it again. All buffers are bounded.
//!
//! | module | contents | specification |
//! |---|---|---|
//! | [`handshake`] | opening handshake, for client and server | RFC 6455, 4 |
//! | [`frame`] | opcodes, frame headers, one-frame encoder | RFC 6455, 5.2 |
//! | [`mask`] | masking and unmasking in place | RFC 6455, 5.3 |
//! | [`message`] | message decoder and encoder | RFC 6455, 5.4 to 5.6 |
//! | [`close`] | close codes, close payloads, protocol errors | RFC 6455, 7.4 |
//! | [`deflate`] | permessage-deflate: negotiation, compression | RFC 7692 |
//! | [`repeat`] | counting copies of one known frame at memory speed | — |
//! | [`feed`] | messages of a feed and their headings | — |
//! | [`framed`] | length-prefixed messages over plain TCP | — |
//! | [`http`] | requests and responses for long-polling | RFC 9112 |
//! | [`engine_io`] | packets over WebSocket and over long-polling | Engine.IO protocol, version 4 |
//! | [`socket_io`] | events, acknowledgements, attachments | Socket.IO protocol, version 5 |
//! | [`decoded`] | the result type of the decoders | — |

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
mod role;
pub mod socket_io;
mod utf8;
