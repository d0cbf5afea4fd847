//! Compression that `serve` grants, and the TCP settings of accepted sockets.

use autostrada_proto::deflate::{DeflateParameters, WindowBits};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::plan::PlanError;

/// The supported sizes of a compression window, as base-2 logarithms.
const WINDOW_BITS: std::ops::RangeInclusive<u8> = 9..=15;

/// The parameters that the server grants to a client that offers permessage-deflate (RFC 7692).
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GrantedCompression {
    /// Compression level of sent messages; 0 is none, 9 the highest.
    #[schemars(range(max = 9))]
    pub level: u32,
    /// Minimum length of a message in bytes to be compressed; shorter messages are sent
    /// uncompressed.
    pub min_bytes: usize,
    /// Whether the server compresses each message independently (no context takeover).
    server_no_context_takeover: bool,
    /// Whether to ask clients to compress each message independently (no context takeover).
    client_no_context_takeover: bool,
    /// Base-2 logarithm of the maximum window of the server, in bytes.
    #[schemars(range(min = *WINDOW_BITS.start(), max = *WINDOW_BITS.end()))]
    server_max_window_bits: u8,
    /// Base-2 logarithm of the maximum window requested from clients, in bytes.
    #[schemars(range(min = *WINDOW_BITS.start(), max = *WINDOW_BITS.end()))]
    client_max_window_bits: u8,
}

impl Default for GrantedCompression {
    fn default() -> Self {
        Self {
            level: 6,
            min_bytes: 0,
            server_no_context_takeover: false,
            client_no_context_takeover: false,
            server_max_window_bits: 15,
            client_max_window_bits: 15,
        }
    }
}

impl GrantedCompression {
    /// Checks what the types cannot.
    pub(super) fn check(&self) -> Result<(), PlanError> {
        if self.level > 9 {
            return Err(PlanError::new("compression.level must be from 0 to 9"));
        }
        for (key, bits) in [
            ("server_max_window_bits", self.server_max_window_bits),
            ("client_max_window_bits", self.client_max_window_bits),
        ] {
            if !WINDOW_BITS.contains(&bits) {
                let message = format!("compression.{key} must be from 9 to 15");
                return Err(PlanError::new(message));
            }
        }
        Ok(())
    }

    /// Returns the server's own parameters, which are combined with those of a client's offer.
    pub fn parameters(&self) -> DeflateParameters {
        let window = |bits| WindowBits::new(bits).expect("it was checked");
        DeflateParameters {
            server_no_context_takeover: self.server_no_context_takeover,
            client_no_context_takeover: self.client_no_context_takeover,
            server_max_window_bits: window(self.server_max_window_bits),
            client_max_window_bits: window(self.client_max_window_bits),
        }
    }
}

/// The TCP settings of accepted sockets.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AcceptedTcp {
    /// Whether `TCP_NODELAY` is set.
    pub no_delay: bool,
    /// Send buffer of each socket (`SO_SNDBUF`), in bytes. Default: the kernel chooses.
    #[schemars(range(min = 1, max = i32::MAX))]
    pub send_buffer_bytes: Option<usize>,
    /// Receive buffer of each socket (`SO_RCVBUF`), in bytes. Default: the kernel chooses.
    #[schemars(range(min = 1, max = i32::MAX))]
    pub receive_buffer_bytes: Option<usize>,
}

impl Default for AcceptedTcp {
    fn default() -> Self {
        Self {
            no_delay: true,
            send_buffer_bytes: None,
            receive_buffer_bytes: None,
        }
    }
}

impl AcceptedTcp {
    /// Checks what the types cannot.
    pub(super) fn check(&self) -> Result<(), PlanError> {
        for (key, bytes) in [
            ("send_buffer_bytes", self.send_buffer_bytes),
            ("receive_buffer_bytes", self.receive_buffer_bytes),
        ] {
            if bytes.is_some_and(|bytes| bytes == 0 || i32::try_from(bytes).is_err()) {
                let message = format!("tcp.{key} must be from 1 to {}", i32::MAX);
                return Err(PlanError::new(message));
            }
        }
        Ok(())
    }
}
