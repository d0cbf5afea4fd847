//! The outcome of a connection, a load or an observation, in every result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a connection or a load ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// The plan was completed.
    Complete,
    /// The peer closed before all messages were sent or received.
    Closed,
    /// The connection broke or never opened.
    Reset,
    /// The peer violated the protocol.
    Violation,
    /// The time limit was reached.
    Timeout,
    /// The user interrupted the load or the server.
    Interrupted,
}
