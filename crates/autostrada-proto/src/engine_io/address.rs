//! The query of a request, which says what it is for: Engine.IO protocol, "Transports".

use std::error::Error;
use std::fmt;

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

impl<'a> Address<'a> {
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

    /// Reads the query of a request's target. What it does not know it ignores.
    ///
    /// # Errors
    ///
    /// When the version or the transport is missing or another one.
    pub fn decode(target: &'a str) -> Result<Self, AddressError> {
        let (_, query) = target.split_once('?').unwrap_or((target, ""));
        let value = |name: &str| {
            query
                .split('&')
                .filter_map(|parameter| parameter.split_once('='))
                .find_map(|(found, value)| (found == name).then_some(value))
        };
        if value("EIO") != Some(VERSION) {
            return Err(AddressError::Version);
        }
        let transport = match value("transport") {
            Some("polling") => Transport::Polling,
            Some("websocket") => Transport::WebSocket,
            _ => return Err(AddressError::Transport),
        };
        Ok(Self {
            transport,
            sid: value("sid"),
        })
    }
}

/// Why a request is not one of Engine.IO: the client's fault, to be answered with status 400.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressError {
    Version,
    Transport,
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Version => "request without 'EIO=4'",
            Self::Transport => "request for a transport other than polling and websocket",
        })
    }
}

impl Error for AddressError {}
