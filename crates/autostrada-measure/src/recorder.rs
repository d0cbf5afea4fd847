//! Recorders of response time, service time, send delay, and the phases of connecting.

use crate::{Histogram, Nanos, RecordError};

/// The latencies of one thread. Merge recorders after the trial.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recorder {
    /// Time from due to echoed: the time that a user waits.
    pub response_time_ns: Histogram,
    /// Time from sent to echoed: the time that the peer takes.
    pub service_time_ns: Histogram,
    /// Time from due to sent: the load generator's own delay.
    pub send_delay_ns: Histogram,
}

impl Recorder {
    /// Records that a message was sent, in an open loop.
    ///
    /// `sent` is the instant at which the generator first tried to hand the message to the kernel.
    /// If the message then waits for room, because the peer does not read, this is not a delay of
    /// the generator.
    #[inline]
    pub fn record_sent(&mut self, due: Nanos, sent: Nanos) -> Result<(), RecordError> {
        assert!(due <= sent, "message sent before it was due");
        self.send_delay_ns.record(sent - due)
    }

    /// Records that a message was echoed. In a closed loop, `due` is equal to `sent`.
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

    /// Removes all latencies, and keeps the memory.
    pub fn clear(&mut self) {
        self.response_time_ns.clear();
        self.service_time_ns.clear();
        self.send_delay_ns.clear();
    }

    /// Adds the latencies of another recorder.
    pub fn merge(&mut self, other: &Self) {
        self.response_time_ns.merge(&other.response_time_ns);
        self.service_time_ns.merge(&other.service_time_ns);
        self.send_delay_ns.merge(&other.send_delay_ns);
    }
}

/// The instants of one connection, from the plan to the end of its opening handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// Instant at which the connection was due.
    pub due: Nanos,
    /// Instant at which the TCP connection was begun.
    pub begun: Nanos,
    /// Instant at which the TCP connection was established.
    pub connected: Nanos,
    /// Instant at which the TLS handshake was complete; `None` without TLS.
    pub secured: Option<Nanos>,
    /// Whether the TLS handshake resumed an earlier session.
    pub is_resumed: bool,
    /// Instant at which the response to the opening handshake was read.
    pub opened: Nanos,
}

/// Durations of the phases of connecting.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConnectionTimes {
    /// Time from begun to connected.
    pub tcp_time_ns: Histogram,
    /// Time from connected to secured, of full TLS handshakes.
    pub tls_time_ns: Histogram,
    /// Time from connected to secured, of TLS handshakes that resumed an earlier session.
    pub tls_resumed_time_ns: Histogram,
    /// Time from secured, or from connected without TLS, to opened.
    pub upgrade_time_ns: Histogram,
    /// Time from due to opened: the time that a user waits.
    pub response_time_ns: Histogram,
}

impl ConnectionTimes {
    /// Records one opened connection.
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
            "the instants of a connection are not in order: {opening:?}"
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

    /// Adds the durations of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.tcp_time_ns.merge(&other.tcp_time_ns);
        self.tls_time_ns.merge(&other.tls_time_ns);
        self.tls_resumed_time_ns.merge(&other.tls_resumed_time_ns);
        self.upgrade_time_ns.merge(&other.upgrade_time_ns);
        self.response_time_ns.merge(&other.response_time_ns);
    }
}
