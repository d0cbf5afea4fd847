//! Statistics of the connections of a thread that do not depend on the workload.

use autostrada_measure::{ConnectionTimes, Failures, Nanos, Opening};
use autostrada_net::tls::Negotiated;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::merge::merge;
use super::session::Granted;

/// What was read from sockets and written to them.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
pub struct SocketTraffic {
    /// Bytes read, below the protocol and above TLS.
    pub read_bytes: u64,
    /// Number of reads that returned these bytes.
    pub read_calls: u64,
    /// Bytes written, below the protocol and above TLS.
    pub written_bytes: u64,
    /// Number of writes that accepted these bytes.
    pub write_calls: u64,
}

merge!(SocketTraffic {
    read_bytes: sum,
    read_calls: sum,
    written_bytes: sum,
    write_calls: sum,
});

/// Statistics of the connections of one thread, or the sum of all threads.
#[derive(Debug, Default)]
pub struct ConnectionStats {
    /// Durations of the phases of opening a connection.
    pub times: ConnectionTimes,
    /// Failures of connections, by kind.
    pub failures: Failures,
    /// Number of connections that opened.
    pub opened: u64,
    /// Number of connections that ended, for any reason, before the trial did.
    pub closed: u64,
    /// Number of open connections among these that this side did not end.
    pub lost: u64,
    /// Instant at which the last of these was lost; 0 if none was.
    pub last_lost_at: Nanos,
    /// Traffic of the sockets.
    pub traffic: SocketTraffic,
    /// Instant at which the first opening handshake was complete, and the thread's CPU time then.
    pub first_opened: Option<(Nanos, Nanos)>,
    /// CPU time of the thread from the start to the end of the window, without busy waiting.
    pub busy_ns: Nanos,
    /// The thread's CPU time at the end of the window.
    pub cpu_ns: Nanos,
    /// Instant at which the window began.
    pub window_start: Nanos,
    /// Instant at which the window ended, earlier than planned if the trial was interrupted.
    pub ended_at: Nanos,
    /// Parameters negotiated in the first TLS handshake, or `None` without TLS.
    pub tls: Option<Negotiated>,
    /// Number of connections that resumed an earlier TLS session.
    pub resumed: u64,
    /// Subprotocols and extensions that servers granted, and the compressed traffic.
    pub granted: Granted,
}

impl ConnectionStats {
    /// Counts a connection that has opened.
    pub fn note_opened(
        &mut self,
        opening: &Opening,
        negotiated: Option<Negotiated>,
        cpu_ns: Nanos,
    ) {
        self.opened += 1;
        self.first_opened.get_or_insert((opening.opened, cpu_ns));
        if let Some(negotiated) = negotiated {
            self.resumed += u64::from(negotiated.is_resumed);
            self.tls.get_or_insert(negotiated);
        }
    }
}

merge!(ConnectionStats {
    times: each,
    failures: each,
    opened: sum,
    closed: sum,
    lost: sum,
    last_lost_at: most,
    traffic: each,
    first_opened: least_of_known,
    busy_ns: sum,
    cpu_ns: sum,
    window_start: most,
    ended_at: most,
    tls: first_known,
    resumed: sum,
    granted: each,
});
