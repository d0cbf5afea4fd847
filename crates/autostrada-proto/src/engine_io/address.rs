//! The query of a request: Engine.IO protocol, "Transports".

/// Version of the protocol, in every query.
const VERSION: &str = "4";

/// Transport of the packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    Polling,
    WebSocket,
}

/// The transport and the session of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address<'a> {
    pub transport: Transport,
    /// Id of the session; `None` opens a session.
    pub sid: Option<&'a str>,
}

impl Address<'_> {
    /// Returns the request target: `path`, which may already have a query, with the parameters.
    #[must_use]
    pub fn encode(&self, path: &str) -> String {
        let joint = if path.contains('?') { '&' } else { '?' };
        let transport = match self.transport {
            Transport::Polling => "polling",
            Transport::WebSocket => "websocket",
        };
        let target = format!("{path}{joint}EIO={VERSION}&transport={transport}");
        match self.sid {
            Some(sid) => format!("{target}&sid={sid}"),
            None => target,
        }
    }
}
