//! The heartbeat of a session whose client sends the pings: Engine.IO protocol, version 3.

use autostrada_measure::Nanos;
use autostrada_proto::engine_io::Session;

/// Nanoseconds of a millisecond.
const MS_NS: Nanos = 1_000_000;

/// The pings of one session.
///
/// The client sends a ping one interval after the session has opened, and one interval after each
/// pong. The session has failed if no packet arrives for an interval and the time limit of a pong,
/// or within that limit after a ping. These are the rules of engine.io-client 3.
#[derive(Debug, Clone, Copy)]
pub struct Heartbeat {
    interval_ns: Nanos,
    limit_ns: Nanos,
    /// When the next ping is due; `None` while a pong is awaited.
    ping_due: Option<Nanos>,
    /// When to look again for a pong that is awaited: one that has come makes the next ping due an
    /// interval later, which may be before the session would have failed.
    check_at: Nanos,
    /// When the session has failed if no packet arrives before.
    fails_at: Nanos,
}

/// What a heartbeat requires at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beat {
    /// Nothing.
    None,
    /// A ping must be sent.
    Ping,
    /// The server has not sent any packet in time.
    Failed,
}

impl Heartbeat {
    /// Creates the heartbeat of a session that has opened at `now`.
    pub fn new(session: &Session, now: Nanos) -> Self {
        let interval_ns = session.ping_interval_ms.max(1).saturating_mul(MS_NS);
        let limit_ns = session.ping_timeout_ms.saturating_mul(MS_NS);
        let mut heartbeat = Self {
            interval_ns,
            limit_ns,
            ping_due: Some(now.saturating_add(interval_ns)),
            check_at: 0,
            fails_at: 0,
        };
        heartbeat.note_packet(now);
        heartbeat
    }

    /// Returns the instant at which to call `advance` again.
    pub fn due(&self) -> Nanos {
        self.ping_due.unwrap_or(self.check_at).min(self.fails_at)
    }

    /// Records that a packet of any kind has arrived.
    pub fn note_packet(&mut self, now: Nanos) {
        self.fails_at = now
            .saturating_add(self.interval_ns)
            .saturating_add(self.limit_ns);
    }

    /// Records that a pong has arrived.
    pub fn note_pong(&mut self, now: Nanos) {
        self.ping_due = Some(now.saturating_add(self.interval_ns));
    }

    /// Returns what is required at `now`.
    pub fn advance(&mut self, now: Nanos) -> Beat {
        if now >= self.fails_at {
            return Beat::Failed;
        }
        let check_at = now.saturating_add(self.interval_ns);
        match self.ping_due {
            Some(due) if now >= due => {
                self.ping_due = None;
                self.check_at = check_at;
                self.fails_at = now.saturating_add(self.limit_ns);
                Beat::Ping
            }
            Some(_) => Beat::None,
            None => {
                if now >= self.check_at {
                    self.check_at = check_at;
                }
                Beat::None
            }
        }
    }
}

#[cfg(test)]
#[path = "tests/heartbeat.rs"]
mod tests;
