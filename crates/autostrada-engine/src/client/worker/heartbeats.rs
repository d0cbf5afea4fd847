//! The heartbeats of connections whose protocol requires pings from the client.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use autostrada_measure::Nanos;

use super::Worker;
use crate::client::workload::Workload;

/// Maximum number of heartbeats in one turn, so that they delay no message for long.
const BEATS_PER_TURN_MAX: usize = 64;

/// When which connection has its next heartbeat; the earliest comes first.
#[derive(Debug, Default)]
pub struct Heartbeats(BinaryHeap<Reverse<(Nanos, usize)>>);

impl Heartbeats {
    /// Adds the next heartbeat of a connection.
    pub fn add(&mut self, due: Nanos, index: usize) {
        self.0.push(Reverse((due, index)));
    }

    /// Removes and returns the next connection whose heartbeat is due at `now`.
    ///
    /// An index has several entries if another connection has replaced the one of an entry. Equal
    /// entries are removed together, so these entries become one.
    fn take_due(&mut self, now: Nanos) -> Option<usize> {
        let &next = self.0.peek()?;
        let Reverse((due, index)) = next;
        if due > now {
            return None;
        }
        while self.0.peek() == Some(&next) {
            self.0.pop();
        }
        Some(index)
    }

    fn next_due(&self) -> Option<Nanos> {
        self.0.peek().map(|Reverse((due, _))| *due)
    }
}

impl<W: Workload> Worker<'_, W> {
    /// Sends due heartbeats; returns the instant at which to call again, or `None` if there are no
    /// heartbeats.
    pub(super) fn beat_due(&mut self, now: Nanos) -> Option<Nanos> {
        for _ in 0..BEATS_PER_TURN_MAX {
            let Some(index) = self.heartbeats.take_due(now) else {
                break;
            };
            let Some(connection) = &mut self.connections[index] else {
                continue;
            };
            let beaten = connection.beat(index, now, &mut self.shared);
            if let Some(due) = connection.beat_due() {
                self.heartbeats.add(due, index);
            }
            self.conclude(index, beaten);
            self.turn_work += 1;
        }
        self.heartbeats.next_due()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heartbeats_come_in_the_order_of_their_instants() {
        let mut heartbeats = Heartbeats::default();
        heartbeats.add(30, 1);
        heartbeats.add(20, 2);
        heartbeats.add(40, 3);
        assert_eq!(heartbeats.next_due(), Some(20));
        assert_eq!(heartbeats.take_due(19), None);
        assert_eq!(heartbeats.take_due(35), Some(2));
        assert_eq!(heartbeats.take_due(35), Some(1));
        assert_eq!(heartbeats.take_due(35), None);
        assert_eq!(heartbeats.next_due(), Some(40));
    }

    #[test]
    fn equal_entries_are_one_heartbeat() {
        let mut heartbeats = Heartbeats::default();
        heartbeats.add(20, 2);
        heartbeats.add(20, 2);
        heartbeats.add(20, 3);
        assert_eq!(heartbeats.take_due(20), Some(2));
        assert_eq!(heartbeats.take_due(20), Some(3));
        assert_eq!(heartbeats.next_due(), None);
    }
}
