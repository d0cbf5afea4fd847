//! The two ends of a connection.

/// The role of this endpoint in a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Receives unmasked frames.
    Client,
    /// Receives masked frames.
    Server,
}
