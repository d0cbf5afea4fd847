//! The query of a request, which says what it is for: Engine.IO protocol, "Transports".

/// The version of the protocol, in every query.
const VERSION: &str = "4";

/// How packets are carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    Polling,
    WebSocket,
}

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address<'a> {
    pub transport: Transport,
    /// The session; a request without one opens a session.
    pub sid: Option<&'a str>,
}

impl Address<'_> {
    /// Makes the target of a request from a path, which may have a query of its own.
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
