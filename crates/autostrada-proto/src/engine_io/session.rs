//! What a server says of a session when it opens: Engine.IO protocol, "Handshake".

use serde::Deserialize;

use super::PacketError;

/// The data of an open packet.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Session {
    /// What the client puts into the query of every further request.
    pub sid: String,
    /// The transports that the session can change to.
    pub upgrades: Vec<String>,
    /// How often the server sends a ping.
    #[serde(rename = "pingInterval")]
    pub ping_interval_ms: u64,
    /// How long it waits for the pong.
    #[serde(rename = "pingTimeout")]
    pub ping_timeout_ms: u64,
    /// The longest payload that the server takes; servers before 2022 do not say.
    #[serde(rename = "maxPayload")]
    pub max_payload_bytes: Option<u64>,
}

impl Session {
    /// Reads the data of an open packet.
    ///
    /// # Errors
    ///
    /// When something is missing.
    pub fn decode(json: &[u8]) -> Result<Self, PacketError> {
        serde_json::from_slice(json).map_err(PacketError::Session)
    }
}
