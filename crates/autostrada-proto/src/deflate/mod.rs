//! permessage-deflate, the compression of messages: RFC 7692.
//!
//! A client sends a [`DeflateOffer`], a server answers with a [`DeflateAnswer`],
//! and both then hold the same [`DeflateParameters`]: from these each makes a
//! [`Deflater`] for what it sends and an [`Inflater`] for what it receives.
//!
//! Both allocate with their first compressed message, so a connection that is
//! idle, or whose messages are too short to be compressed, costs a few hundred
//! bytes. From then on, with the `zlib-rs` backend (bytes measured):
//!
//! | window bits | deflater | inflater |
//! |---|---|---|
//! | 15 | 380,032 | 47,552 |
//! | 12 | 265,344 | 47,552 |
//! | 9 | 251,008 | 47,552 |
//!
//! plus, for each, a buffer for the longest message so far. A smaller window
//! saves memory where bytes are compressed, and none where they are decompressed:
//! the backend always keeps the largest window there.

use crate::message::Role;

mod answer;
mod deflater;
mod error;
mod inflater;
mod offer;

pub use answer::{DeflateAnswer, accept_offer};
pub use deflater::Deflater;
pub use error::NegotiationError;
pub use inflater::Inflater;
pub use offer::{ClientWindow, DeflateOffer};

/// The name of the extension.
const NAME: &str = "permessage-deflate";

/// What ends every compressed message, and is left out on the wire: section 7.2.1.
const TAIL: [u8; 4] = [0x00, 0x00, 0xff, 0xff];

/// How far back compressed bytes may refer, as a power of two: section 7.1.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct WindowBits(u8);

impl WindowBits {
    /// The largest window, 32 KiB; what holds when nothing was said.
    pub const MAX: Self = Self(15);
    /// The smallest window that compression can keep to, 512 bytes.
    ///
    /// The protocol knows one of 256 bytes, but neither zlib nor `zlib-rs` can
    /// compress with it. Decompression takes whatever such a window gives.
    pub const MIN_COMPRESSED: Self = Self(9);

    /// Makes a window size of 8 to 15 bits, the sizes that the protocol knows.
    #[must_use]
    pub fn new(bits: u8) -> Option<Self> {
        (8..=15).contains(&bits).then_some(Self(bits))
    }

    #[must_use]
    pub fn bits(self) -> u8 {
        self.0
    }
}

/// How the messages of a connection are compressed: what was negotiated, or what a server wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeflateParameters {
    /// The server compresses each message by itself: section 7.1.1.1.
    pub server_no_context_takeover: bool,
    /// The client compresses each message by itself: section 7.1.1.2.
    pub client_no_context_takeover: bool,
    /// The window of what the server sends: section 7.1.2.1.
    pub server_max_window_bits: WindowBits,
    /// The window of what the client sends: section 7.1.2.2.
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
    /// What an empty offer and an empty answer mean: context takeover and the largest windows.
    fn default() -> Self {
        Self {
            server_no_context_takeover: false,
            client_no_context_takeover: false,
            server_max_window_bits: WindowBits::MAX,
            client_max_window_bits: WindowBits::MAX,
        }
    }
}

/// How many bytes of messages became how many on the wire, of the compressed messages only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CompressedTraffic {
    pub messages: u64,
    /// Payloads of messages, before compression or after decompression.
    pub raw_bytes: u64,
    /// Payloads of frames.
    pub compressed_bytes: u64,
}
