//! The instants of a connection that is being opened.

use autostrada_measure::{Nanos, Opening};
use autostrada_net::tls::Negotiated;

/// The instants of the steps; 0 if a step is not complete.
#[derive(Debug)]
pub struct OpeningInstants {
    due: Nanos,
    /// Instant at which the connection was begun.
    pub begun: Nanos,
    /// Instant at which the TCP connection was established.
    pub connected: Nanos,
    /// Instant at which the TLS handshake was complete, or a plain connection could be used.
    pub secured: Nanos,
}

impl OpeningInstants {
    /// Creates the instants of a connection that was due and begun.
    pub fn new(due: Nanos, begun: Nanos) -> Self {
        Self {
            due,
            begun,
            connected: 0,
            secured: 0,
        }
    }

    /// Says which step of the opening is not complete.
    pub fn unfinished_step(&self) -> &'static str {
        if self.connected == 0 {
            "the TCP connection was not established"
        } else if self.secured == 0 {
            "the TLS handshake, or the proxy's tunnel, was not complete"
        } else {
            "the opening handshake was not answered"
        }
    }

    /// Returns the opening of a connection that is open since `opened`.
    pub fn complete(
        &self,
        opened: Nanos,
        is_encrypted: bool,
        negotiated: Option<Negotiated>,
    ) -> Opening {
        Opening {
            due: self.due,
            begun: self.begun,
            connected: self.connected,
            secured: is_encrypted.then_some(self.secured),
            is_resumed: negotiated.is_some_and(|negotiated| negotiated.is_resumed),
            opened: opened.max(self.secured),
        }
    }
}
