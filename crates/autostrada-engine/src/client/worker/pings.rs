//! WebSocket pings to all connections in turn: RFC 6455, section 5.5.2.

use autostrada_measure::Nanos;

use super::Worker;
use crate::client::workload::Workload;

/// Maximum number of pings in one turn, so that they delay no message for long.
const PINGS_PER_TURN_MAX: usize = 64;

/// When which connection is pinged. They are pinged in turn, so that pings are evenly spread.
#[derive(Debug)]
pub struct Pings {
    /// Time between two pings of the thread.
    gap_ns: Nanos,
    connections: usize,
    /// Index of the connection that is pinged next.
    next: usize,
    next_at: Nanos,
}

impl Pings {
    /// Creates the pings from an instant on: one each `every_ns` on each connection.
    pub fn new(every_ns: Nanos, connections: usize, start_at: Nanos) -> Self {
        Self {
            gap_ns: (every_ns / connections.max(1) as u64).max(1),
            connections,
            next: 0,
            next_at: start_at,
        }
    }

    /// Returns the next connection to be pinged at `now`, or `None` if no ping is due.
    fn take_due(&mut self, now: Nanos) -> Option<usize> {
        if self.next_at > now || self.connections == 0 {
            return None;
        }
        self.next_at += self.gap_ns;
        let index = self.next;
        self.next = (index + 1) % self.connections;
        Some(index)
    }
}

impl<W: Workload> Worker<'_, W> {
    /// Sends due pings; returns the instant at which to call again, or `None` without pings.
    pub(super) fn ping_due(&mut self, now: Nanos) -> Option<Nanos> {
        for _ in 0..PINGS_PER_TURN_MAX {
            let Some(index) = self.pings.as_mut()?.take_due(now) else {
                break;
            };
            let Some(connection) = &mut self.connections[index] else {
                continue;
            };
            if !connection.is_open() || connection.is_slow {
                continue;
            }
            connection.outbox.borrow_buffer(&mut self.shared.spares);
            connection.outbox.ping(&now.to_be_bytes());
            let flushed = connection.flush(index, &mut self.shared);
            self.workload.records().round_trips.sent += 1;
            self.conclude(index, flushed);
            self.turn_work += 1;
        }
        self.pings.as_ref().map(|pings| pings.next_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_connection_is_pinged_once_in_an_interval() {
        let mut pings = Pings::new(100, 4, 1_000);
        assert_eq!(pings.take_due(999), None);
        let due = |pings: &mut Pings, now| -> Vec<_> {
            std::iter::from_fn(|| pings.take_due(now)).collect()
        };
        assert_eq!(due(&mut pings, 1_060), [0, 1, 2]);
        assert_eq!(due(&mut pings, 1_175), [3, 0, 1, 2, 3]);
        assert_eq!(Pings::new(100, 0, 0).take_due(1), None);
    }
}
