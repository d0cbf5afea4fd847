//! How it ended: the word of every result.

use schemars::JsonSchema;
use serde::Serialize;

/// How a connection, or a load, ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// With all that was planned.
    Complete,
    /// By the peer, before all was sent or received.
    Closed,
    /// The connection broke.
    Reset,
    /// The peer broke the protocol.
    Violation,
    /// The time was over.
    Timeout,
    /// By the user, before its time.
    Interrupted,
}
