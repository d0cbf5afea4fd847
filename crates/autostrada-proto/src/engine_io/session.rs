//! The parameters of a session: Engine.IO protocol, "Handshake".

use serde::Deserialize;

use super::PacketError;

/// The data of an open packet.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Session {
    /// Id of the session, for the query of all further requests.
    pub sid: String,
    /// Transports that the session can be upgraded to.
    pub upgrades: Vec<String>,
    /// Interval between pings of the server, or in version 3 of the client, in milliseconds.
    #[serde(rename = "pingInterval")]
    pub ping_interval_ms: u64,
    /// Time that the sender of the pings waits for a pong, in milliseconds.
    #[serde(rename = "pingTimeout")]
    pub ping_timeout_ms: u64,
    /// Maximum length of a payload that the server accepts; servers before 2022 do not send it.
    #[serde(rename = "maxPayload")]
    pub max_payload_bytes: Option<u64>,
}

impl Session {
    /// Decodes the data of an open packet.
    pub fn decode(json: &[u8]) -> Result<Self, PacketError> {
        serde_json::from_slice(json).map_err(PacketError::Session)
    }
}
