//! What `serve` grants its clients, and how their sockets are set.

use autostrada_proto::deflate::{DeflateParameters, WindowBits};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::plan::PlanError;

/// The windows that compression can keep to.
const WINDOW_BITS: std::ops::RangeInclusive<u8> = 9..=15;

/// What the server agrees to where a client offers permessage-deflate (RFC 7692).
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GrantedCompression {
    /// The level of compression of what is sent.
    #[schemars(range(max = 9))]
    pub level: u32,
    /// Messages shorter than this are sent uncompressed.
    pub min_bytes: usize,
    /// Compress each message by itself.
    server_no_context_takeover: bool,
    /// Ask clients to compress each message by itself.
    client_no_context_takeover: bool,
    /// Use a window of 2 to the power of this many bytes at most.
    #[schemars(range(min = *WINDOW_BITS.start(), max = *WINDOW_BITS.end()))]
    server_max_window_bits: u8,
    /// Ask clients for a window of 2 to the power of this many bytes at most.
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

    /// What the server wants, beside what a client asks for.
    #[must_use]
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
    /// The send buffer of each socket. Without it, the kernel chooses.
    #[schemars(range(min = 1, max = i32::MAX))]
    pub send_buffer_bytes: Option<usize>,
    /// The receive buffer of each socket. Without it, the kernel chooses.
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
