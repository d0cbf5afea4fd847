//! permessage-deflate, the compression of messages: RFC 7692.
//!
//! A client sends a [`DeflateOffer`], and the server answers with a
//! [`DeflateAnswer`]. Both derive the same [`DeflateParameters`], and create a
//! [`Deflater`] for the messages they send and an [`Inflater`] for those they
//! receive.
//!
//! Both allocate with their first compressed message, so a connection that is
//! idle, or whose messages are too short to be compressed, needs a few hundred
//! bytes. After that they need, as measured with the `zlib-rs` backend:
//!
//! | window bits | deflater (bytes) | inflater (bytes) |
//! |---|---|---|
//! | 15 | 380,032 | 47,552 |
//! | 12 | 265,344 | 47,552 |
//! | 9 | 251,008 | 47,552 |
//!
//! plus a buffer each for the longest message so far. A smaller window saves
//! memory in the deflater and none in the inflater, because the backend always
//! allocates the largest window for decompression.

use thiserror::Error;

use crate::role::Role;

mod answer;
mod deflater;
mod inflater;
mod offer;

pub use answer::{DeflateAnswer, accept_offer};
pub use deflater::Deflater;
pub use inflater::Inflater;
pub use offer::{ClientWindow, DeflateOffer};

/// The name of the extension.
const NAME: &str = "permessage-deflate";

/// The end of every compressed message, which is removed on the wire: section 7.2.1.
const TAIL: [u8; 4] = [0x00, 0x00, 0xff, 0xff];

/// Size of the LZ77 sliding window, as the base-2 logarithm of its bytes: section 7.1.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct WindowBits(u8);

impl WindowBits {
    /// The largest window, 32 KiB, and the default.
    pub const MAX: Self = Self(15);
    /// The smallest window that the compressor supports, 512 bytes.
    ///
    /// The protocol also allows 256 bytes, but neither zlib nor `zlib-rs` can
    /// compress with such a window. Decompression supports it.
    pub const MIN_COMPRESSED: Self = Self(9);

    /// Creates a window size of 8 to 15 bits; returns `None` for any other value.
    pub fn new(bits: u8) -> Option<Self> {
        (8..=15).contains(&bits).then_some(Self(bits))
    }

    pub fn bits(self) -> u8 {
        self.0
    }
}

/// Compression parameters of a connection: those negotiated, or those that a server wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeflateParameters {
    /// Whether the server compresses each message independently: section 7.1.1.1.
    pub server_no_context_takeover: bool,
    /// Whether the client compresses each message independently: section 7.1.1.2.
    pub client_no_context_takeover: bool,
    /// Window of the messages that the server sends: section 7.1.2.1.
    pub server_max_window_bits: WindowBits,
    /// Window of the messages that the client sends: section 7.1.2.2.
    pub client_max_window_bits: WindowBits,
}

impl DeflateParameters {
    fn takes_over_context(self, sender: Role) -> bool {
        match sender {
            Role::Client => !self.client_no_context_takeover,
            Role::Server => !self.server_no_context_takeover,
        }
    }

    fn window_bits(self, sender: Role) -> WindowBits {
        match sender {
            Role::Client => self.client_max_window_bits,
            Role::Server => self.server_max_window_bits,
        }
    }
}

impl Default for DeflateParameters {
    /// Returns the parameters without restrictions: context takeover and the largest windows.
    fn default() -> Self {
        Self {
            server_no_context_takeover: false,
            client_no_context_takeover: false,
            server_max_window_bits: WindowBits::MAX,
            client_max_window_bits: WindowBits::MAX,
        }
    }
}

/// Counts of the compressed messages; uncompressed messages are not included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CompressedTraffic {
    pub messages: u64,
    /// Bytes of message payloads, before compression or after decompression.
    pub raw_bytes: u64,
    /// Bytes of frame payloads.
    pub compressed_bytes: u64,
}

/// An invalid offer or answer (sections 5 and 7.1): an error of the endpoint that sent it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NegotiationError {
    #[error("permessage-deflate has no parameter {0:?}")]
    UnknownParameter(String),
    #[error("permessage-deflate parameter {0:?} is repeated")]
    RepeatedParameter(String),
    /// The value is missing, out of range, or given for a parameter without a value.
    #[error("permessage-deflate parameter {0:?} has no valid value")]
    InvalidParameter(String),
    #[error("permessage-deflate parameter {0:?} was granted but not offered")]
    NotOffered(&'static str),
    #[error("permessage-deflate parameter {0:?} was demanded but not granted")]
    NotGranted(&'static str),
    #[error("permessage-deflate was granted more than once")]
    RepeatedExtension,
    /// The compressor does not support it.
    #[error("permessage-deflate with a window of 8 bits, at least 9 are needed")]
    WindowTooSmall,
}
