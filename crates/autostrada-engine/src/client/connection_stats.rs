//! Statistics of the connections of a thread, beside what its workload records.

use autostrada_measure::{ConnectionTimes, Failures, Nanos, Opening};
use autostrada_net::tls::Agreed;

use super::session::Granted;

/// Statistics of one thread, or of all.
#[derive(Debug, Default)]
pub struct ConnectionStats {
    /// What connecting took.
    pub times: ConnectionTimes,
    /// What went wrong.
    pub failures: Failures,
    /// Connections that were opened.
    pub opened: u64,
    /// Connections that were over, however, before the end.
    pub closed: u64,
    /// Bytes read, below the protocol and above TLS.
    pub read_bytes: u64,
    /// In so many calls.
    pub read_calls: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// In so many calls.
    pub write_calls: u64,
    /// The end of the first opening handshake, and the thread's CPU time then.
    pub first_opened: Option<(Nanos, Nanos)>,
    /// CPU time of the thread from the start to the end of the window.
    pub busy_ns: Nanos,
    /// The thread's CPU time at the end of the window.
    pub cpu_ns: Nanos,
    /// When the window began, and when it ended: earlier than planned when interrupted.
    pub window_start: Nanos,
    /// See `window_start`.
    pub ended_at: Nanos,
    /// What was agreed upon in the first TLS handshake.
    pub tls: Option<Agreed>,
    /// Connections that took up an earlier session.
    pub resumed: u64,
    /// What servers granted.
    pub granted: Granted,
}

impl ConnectionStats {
    /// Takes note of a connection that has opened.
    pub fn note_opened(&mut self, opening: &Opening, agreed: Option<Agreed>, cpu_ns: Nanos) {
        self.opened += 1;
        self.first_opened.get_or_insert((opening.opened, cpu_ns));
        if let Some(agreed) = agreed {
            self.resumed += u64::from(agreed.is_resumed);
            self.tls.get_or_insert(agreed);
        }
    }

    /// Adds those of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.times.merge(&other.times);
        self.failures.merge(&other.failures);
        self.opened += other.opened;
        self.closed += other.closed;
        self.read_bytes += other.read_bytes;
        self.read_calls += other.read_calls;
        self.written_bytes += other.written_bytes;
        self.write_calls += other.write_calls;
        self.first_opened = match (self.first_opened, other.first_opened) {
            (Some(ours), Some(theirs)) => Some(ours.min(theirs)),
            (ours, theirs) => ours.or(theirs),
        };
        self.busy_ns += other.busy_ns;
        self.window_start = self.window_start.max(other.window_start);
        self.ended_at = self.ended_at.max(other.ended_at);
        self.tls = self.tls.take().or_else(|| other.tls.clone());
        self.resumed += other.resumed;
        self.cpu_ns += other.cpu_ns;
        self.granted.merge(&other.granted);
    }
}
