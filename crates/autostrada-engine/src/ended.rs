//! How it ended: the word of every result.

use schemars::JsonSchema;
use serde::Serialize;

/// How a connection, or a load, ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// All that was planned was done.
    Complete,
    /// The peer closed before all was sent or received.
    Closed,
    /// The connection broke, or was never open.
    Reset,
    /// The peer broke the protocol.
    Violation,
    /// The time limit was reached.
    Timeout,
    /// The user interrupted it.
    Interrupted,
}
