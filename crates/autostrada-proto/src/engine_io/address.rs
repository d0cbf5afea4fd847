//! The query of a request: Engine.IO protocol, "Transports".

use super::Version;

/// Transport of the packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    Polling,
    WebSocket,
}

/// The version, the transport and the session of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address<'a> {
    pub version: Version,
    pub transport: Transport,
    /// Id of the session; `None` opens a session.
    pub sid: Option<&'a str>,
}

impl Address<'_> {
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
        let target = format!("{path}{joint}EIO={version}&transport={transport}");
        match self.sid {
            Some(sid) => format!("{target}&sid={sid}"),
            None => target,
        }
    }
}
