//! Fuzz targets, one file for each, with the properties of one part of `autostrada-proto`.

pub mod deflate;
pub mod engine_io;
pub mod feed;
pub mod framed_tcp;
pub mod handshake;
pub mod http;
pub mod message;
mod plain_message;
pub mod socket_io;

/// A target, which panics if an input violates a property.
pub type Target = fn(&[u8]);

/// All targets by name.
pub const TARGETS: [(&str, Target); 8] = [
    ("deflate", deflate::check),
    ("engine_io", engine_io::check),
    ("feed", feed::check),
    ("framed_tcp", framed_tcp::check),
    ("handshake", handshake::check),
    ("http", http::check),
    ("message", message::check),
    ("socket_io", socket_io::check),
];
