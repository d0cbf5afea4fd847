//! Opening handshake: RFC 6455, sections 1.3 and 4.

use base64::engine::{Engine, general_purpose::STANDARD};
use sha1::{Digest, Sha1};

pub mod client;
pub mod server;

pub use crate::http::{HeadError, MAX_HEAD_BYTES, MAX_HEADERS};

const ACCEPT_SUFFIX: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Computes the `Sec-WebSocket-Accept` for a `Sec-WebSocket-Key`: section 1.3.
pub fn accept_key(key: &[u8]) -> [u8; 28] {
    let digest = Sha1::new()
        .chain_update(key)
        .chain_update(ACCEPT_SUFFIX)
        .finalize();
    let mut accept = [0; 28];
    STANDARD
        .encode_slice(digest, &mut accept)
        .expect("20 bytes become 28 characters");
    accept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computes_the_example_of_the_rfc() {
        assert_eq!(
            &accept_key(b"dGhlIHNhbXBsZSBub25jZQ=="),
            b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
        );
    }
}
