//! The instants of a connection that is being opened.

use autostrada_measure::{Nanos, Opening};
use autostrada_net::tls::Negotiated;

/// The instants of the steps; 0 if a step is not complete.
#[derive(Debug)]
pub struct OpeningInstants {
    due: Nanos,
    begun: Nanos,
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
