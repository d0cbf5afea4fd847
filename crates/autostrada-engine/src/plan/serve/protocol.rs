//! What `serve` speaks.

use autostrada_proto::socket_io::is_reserved_event;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::plan::PlanError;

/// How often the server of a Socket.IO session asks whether the client is there.
const PING_INTERVAL_MS: u64 = 25_000;

/// The name of the event that carries a message.
const EVENT: &str = "message";

/// The protocols of the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum ServeProtocolKind {
    /// WebSocket (RFC 6455).
    #[default]
    Websocket,
    /// Socket.IO, by WebSocket and by polling.
    SocketIo,
    /// Four bytes of length, big-endian, then the payload. The first message of a client is the
    /// path.
    FramedTcp,
}

/// The protocol of the server.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServeProtocol {
    /// Which protocol it is.
    pub kind: ServeProtocolKind,
    /// Of `socket-io`: the name of the event that carries a message. Without it, `message`.
    event: Option<String>,
    /// Of `socket-io`: how often a client is asked whether it is there, in milliseconds. Without
    /// it, 25000.
    #[schemars(range(min = 1))]
    ping_interval_ms: Option<u64>,
}

impl ServeProtocol {
    /// A protocol with nothing else said.
    #[must_use]
    pub fn of_kind(kind: ServeProtocolKind) -> Self {
        Self {
            kind,
            ..Self::default()
        }
    }

    /// Of Socket.IO: the name of the event that carries a message.
    #[must_use]
    pub fn event(&self) -> &str {
        self.event.as_deref().unwrap_or(EVENT)
    }

    /// Of Socket.IO: how often a session's client is asked whether it is there.
    #[must_use]
    pub fn ping_interval_ms(&self) -> u64 {
        self.ping_interval_ms.unwrap_or(PING_INTERVAL_MS)
    }

    /// Checks what the types cannot.
    pub(super) fn check(&self) -> Result<(), PlanError> {
        let has_its_keys = self.event.is_some() || self.ping_interval_ms.is_some();
        if has_its_keys && self.kind != ServeProtocolKind::SocketIo {
            return Err(PlanError::new(
                "protocol.event and ping_interval_ms belong to protocol.kind \"socket-io\": \
                 leave them out, or speak that",
            ));
        }
        if is_reserved_event(self.event()) {
            return Err(PlanError::new(format!(
                "protocol.event: {:?} has a meaning of its own in Socket.IO; name another",
                self.event()
            )));
        }
        if self.ping_interval_ms == Some(0) {
            return Err(PlanError::new(
                "protocol.ping_interval_ms must be at least 1",
            ));
        }
        Ok(())
    }
}
