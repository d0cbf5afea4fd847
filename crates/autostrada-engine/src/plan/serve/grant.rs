//! What `serve` grants its clients, and how their sockets are set.

use autostrada_proto::deflate::{DeflateParameters, WindowBits};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::plan::PlanError;

/// The windows that compression can keep to.
const WINDOW_BITS: std::ops::RangeInclusive<u8> = 9..=15;

/// How messages are compressed where a client offers it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GrantedCompression {
    /// 0 to 9, of what is sent.
    pub level: u32,
    /// Shorter messages are sent as they are.
    pub min_bytes: usize,
    server_no_context_takeover: bool,
    client_no_context_takeover: bool,
    server_max_window_bits: u8,
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

/// How accepted sockets are set.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AcceptedTcp {
    /// `TCP_NODELAY`.
    pub no_delay: bool,
    /// `SO_SNDBUF`.
    pub send_buffer_bytes: Option<usize>,
    /// `SO_RCVBUF`.
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
