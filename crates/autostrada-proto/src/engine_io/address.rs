//! The query of a request: Engine.IO protocol, "Transports".

use super::Version;

/// Transport of the packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    Polling,
    WebSocket,
}

/// The version and the transport of a request that opens a session; the others append `&sid=` and
/// its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    pub version: Version,
    pub transport: Transport,
}

impl Address {
    /// Returns the request target: `path`, which may already have a query, with the parameters.
    pub fn encode(&self, path: &str) -> String {
        let joint = if path.contains('?') { '&' } else { '?' };
        let transport = match self.transport {
            Transport::Polling => "polling",
            Transport::WebSocket => "websocket",
        };
        let version = match self.version {
            Version::V3 => 3,
            Version::V4 => 4,
        };
        format!("{path}{joint}EIO={version}&transport={transport}")
    }
}
