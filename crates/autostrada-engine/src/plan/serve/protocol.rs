//! The protocol of `serve`.

use schemars::JsonSchema;
use serde::Deserialize;

/// The protocols of the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum ServeProtocolKind {
    /// WebSocket (RFC 6455).
    #[default]
    Websocket,
    /// Framed TCP: a message is its length in four bytes, big-endian, followed by its payload. The
    /// first message of a client is the path.
    FramedTcp,
}

/// The protocol of the server.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServeProtocol {
    /// Name of the protocol.
    pub kind: ServeProtocolKind,
}
