//! What a thread records: response time, service time, send delay, and the parts of connecting.

use crate::{Histogram, Nanos, RecordError};

/// The latencies that one thread has seen. Merge recorders after the trial.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recorder {
    /// From due to echoed: what a user waits.
    pub response_time_ns: Histogram,
    /// From sent to echoed: what the peer takes once it is asked.
    pub service_time_ns: Histogram,
    /// From due to sent: how late the generator was.
    pub send_delay_ns: Histogram,
}

impl Recorder {
    /// Records that a message was sent, in an open loop.
    ///
    /// Sent is when the generator first tried to hand the message to the kernel. A message that
    /// then waits for room, because the peer does not read, is not late by the generator's fault.
    ///
    /// # Errors
    ///
    /// When it was late by more than an hour.
    #[inline]
    pub fn record_sent(&mut self, due: Nanos, sent: Nanos) -> Result<(), RecordError> {
        assert!(due <= sent, "message sent before it was due");
        self.send_delay_ns.record(sent - due)
    }

    /// Records that a message was echoed. In a closed loop a message is due when it is sent.
    ///
    /// # Errors
    ///
    /// When it took more than an hour.
    #[inline]
    pub fn record_echoed(
        &mut self,
        due: Nanos,
        sent: Nanos,
        echoed: Nanos,
    ) -> Result<(), RecordError> {
        assert!(due <= sent, "message sent before it was due");
        assert!(sent <= echoed, "message echoed before it was sent");
        self.response_time_ns.record(echoed - due)?;
        self.service_time_ns.record(echoed - sent)
    }

    /// Forgets all, and keeps the memory.
    pub fn clear(&mut self) {
        self.response_time_ns.clear();
        self.service_time_ns.clear();
        self.send_delay_ns.clear();
    }

    /// Adds what another recorder has seen.
    pub fn merge(&mut self, other: &Self) {
        self.response_time_ns.merge(&other.response_time_ns);
        self.service_time_ns.merge(&other.service_time_ns);
        self.send_delay_ns.merge(&other.send_delay_ns);
    }
}

/// The instants of one connection, from the plan to the end of its opening handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// When it was due.
    pub due: Nanos,
    /// When the TCP connection was begun.
    pub begun: Nanos,
    /// When the TCP connection was there.
    pub connected: Nanos,
    /// When the TLS handshake was over; `None` without TLS.
    pub secured: Option<Nanos>,
    /// Whether that handshake took up an earlier session.
    pub is_resumed: bool,
    /// When the response to the opening handshake was read.
    pub opened: Nanos,
}

/// What connecting took, in its parts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConnectionTimes {
    /// From begun to the TCP connection.
    pub tcp_time_ns: Histogram,
    /// From the TCP connection to the end of the TLS handshake, where it was a whole one.
    pub tls_time_ns: Histogram,
    /// The same of handshakes that took up an earlier session.
    pub tls_resumed_time_ns: Histogram,
    /// From there to the end of the opening handshake.
    pub upgrade_time_ns: Histogram,
    /// The whole, and from due: what a user waits.
    pub response_time_ns: Histogram,
}

impl ConnectionTimes {
    /// Records one connection that was opened.
    ///
    /// # Errors
    ///
    /// When it took more than an hour.
    pub fn record(&mut self, opening: Opening) -> Result<(), RecordError> {
        let secured = opening.secured.unwrap_or(opening.connected);
        let instants = [
            opening.due,
            opening.begun,
            opening.connected,
            secured,
            opening.opened,
        ];
        assert!(
            instants.is_sorted(),
            "a connection in disorder: {opening:?}"
        );
        self.response_time_ns.record(opening.opened - opening.due)?;
        self.tcp_time_ns.record(opening.connected - opening.begun)?;
        if opening.secured.is_some() {
            let handshakes = if opening.is_resumed {
                &mut self.tls_resumed_time_ns
            } else {
                &mut self.tls_time_ns
            };
            handshakes.record(secured - opening.connected)?;
        }
        self.upgrade_time_ns.record(opening.opened - secured)
    }

    /// Adds what another thread has recorded.
    pub fn merge(&mut self, other: &Self) {
        self.tcp_time_ns.merge(&other.tcp_time_ns);
        self.tls_time_ns.merge(&other.tls_time_ns);
        self.tls_resumed_time_ns.merge(&other.tls_resumed_time_ns);
        self.upgrade_time_ns.merge(&other.upgrade_time_ns);
        self.response_time_ns.merge(&other.response_time_ns);
    }
}
