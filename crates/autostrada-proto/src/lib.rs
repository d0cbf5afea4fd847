//! WebSocket as bytes, for both roles: RFC 6455 without I/O, clock or randomness.
//!
//! Bytes come in as slices and go out into vectors; masking and handshake keys
//! are arguments. Too few bytes are never an error: whatever decodes says that
//! it wants more, and is called again with more.
//!
//! | module | what | RFC 6455 |
//! |---|---|---|
//! | [`handshake`] | the upgrade, [`client`](handshake::client) and [`server`](handshake::server) | 4 |
//! | [`frame`] | opcodes, frame headers, one-frame encoder | 5.2 |
//! | [`mask`] | masking and unmasking in place | 5.3 |
//! | [`message`] | the decoder of a connection, from frames to messages | 5.4 to 5.6 |
//! | [`close`] | close codes, close payloads, the errors that fail a connection | 7.4 |
//! | [`repeat`] | counting copies of one known frame at the speed of memory | — |

#![forbid(unsafe_code)]

pub mod close;
pub mod frame;
pub mod handshake;
pub mod mask;
pub mod message;
pub mod repeat;
