//! Sans-I/O codecs for WebSocket and related protocols, for clients and servers.
//!
//! The crate does no I/O, reads no clock and draws no random numbers. Input is
//! passed as slices and output is appended to vectors; masking and handshake
//! keys are arguments. Incomplete input is not an error: a decoder reports that
//! it needs more bytes, and the caller calls it again. All buffers are bounded.

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
