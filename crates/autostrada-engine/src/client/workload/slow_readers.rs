//! Slow connections: they read a limited number of bytes per second, or none.

use autostrada_measure::{Nanos, Share};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::plan::PlanError;

const SECOND_NS: Nanos = 1_000_000_000;

/// Interval at which slow connections are read, unless less than a byte is due in it.
const READ_EVERY_NS: Nanos = 50_000_000;

/// Number and reading rate of the slow connections.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlowPlan {
    /// Share of all connections that are slow, evenly distributed, rounded to whole connections.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = 1))]
    share: f64,
    /// Bytes per second that each slow connection reads from the start of the window on; 0 means
    /// that it does not read.
    #[serde(default)]
    pub read_bytes_per_s: u64,
    /// Receive buffer of each slow connection's socket, in bytes. Default:
    /// `tcp.receive_buffer_bytes`.
    pub receive_buffer_bytes: Option<usize>,
}

impl SlowPlan {
    /// Returns for each connection of a thread whether it is slow.
    pub fn slow_connections(&self, share: Share) -> Vec<bool> {
        (0..share.connections())
            .map(|connection| self.is_slow(share.of_all(connection)))
            .collect()
    }

    /// Whether a connection, given by its index among all threads, is slow.
    pub fn is_slow(&self, connection: u64) -> bool {
        let until = |count: u64| (count as f64 * self.share).round();
        until(connection + 1) > until(connection)
    }

    /// Checks the constraints that the types do not express.
    pub fn check(&self) -> Result<(), PlanError> {
        if self.share > 0.0 && self.share <= 1.0 {
            return Ok(());
        }
        Err(PlanError::new("slow.share must be above 0 and at most 1"))
    }
}

/// The slow connections of a thread.
#[derive(Debug)]
pub struct SlowReaders {
    is_slow: Vec<bool>,
    connections: Vec<usize>,
    /// Bytes that each connection reads at a time and the interval, or `None` if they do not read.
    portion: Option<(usize, Nanos)>,
    next_at: Option<Nanos>,
    /// Unread bytes in the receive buffers of their sockets at the end.
    pub unread_bytes: u64,
}

impl SlowReaders {
    /// Creates the slow connections of a thread, each of which reads this many bytes per second.
    pub fn new(is_slow: Vec<bool>, read_bytes_per_s: u64) -> Self {
        let connections = (0..is_slow.len()).filter(|&index| is_slow[index]).collect();
        Self {
            is_slow,
            connections,
            portion: portion(read_bytes_per_s),
            next_at: None,
            unread_bytes: 0,
        }
    }

    /// Whether a connection is slow.
    pub fn contains(&self, connection: usize) -> bool {
        self.is_slow[connection]
    }

    /// Returns the indices of all slow connections.
    pub fn connections(&self) -> &[usize] {
        &self.connections
    }

    /// Starts reading slowly.
    pub fn begin(&mut self, now: Nanos) {
        self.next_at = self.portion.map(|(_, every_ns)| now + every_ns);
    }

    /// Returns the instant of the next read, or `None` before the start or if they do not read.
    pub fn next_at(&self) -> Option<Nanos> {
        self.next_at
    }

    /// Returns the number of bytes that each connection must read by `now`, or `None` if no read is
    /// due.
    pub fn take_due(&mut self, now: Nanos) -> Option<usize> {
        let (bytes, every_ns) = self.portion?;
        let due = self.next_at.filter(|&due| due <= now)?;
        let times = 1 + (now - due) / every_ns;
        self.next_at = Some(due + times * every_ns);
        usize::try_from(times).ok()?.checked_mul(bytes)
    }
}

/// Returns the number of bytes to read at a time and the interval, or `None` if the rate is 0.
fn portion(read_bytes_per_s: u64) -> Option<(usize, Nanos)> {
    let bytes = match read_bytes_per_s {
        0 => return None,
        rate => (u128::from(rate) * u128::from(READ_EVERY_NS) / u128::from(SECOND_NS)).max(1),
    };
    let every_ns = bytes * u128::from(SECOND_NS) / u128::from(read_bytes_per_s);
    Some((
        usize::try_from(bytes).ok()?,
        Nanos::try_from(every_ns).ok()?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_add_up_to_the_rate() {
        assert_eq!(portion(0), None);
        assert_eq!(portion(1_000), Some((50, READ_EVERY_NS)));
        assert_eq!(portion(1), Some((1, SECOND_NS)));
        assert_eq!(portion(3), Some((1, 333_333_333)));
    }

    #[test]
    fn what_was_not_read_in_time_is_read_later() {
        let mut slow = SlowReaders::new(vec![true, false, true], 1_000);
        assert_eq!(slow.connections(), [0, 2]);
        assert!(slow.contains(2) && !slow.contains(1));
        assert_eq!(slow.take_due(1), None, "they are not slow yet");
        slow.begin(0);
        assert_eq!(slow.take_due(READ_EVERY_NS - 1), None);
        assert_eq!(slow.take_due(READ_EVERY_NS), Some(50));
        assert_eq!(slow.take_due(3 * READ_EVERY_NS + 1), Some(100));
        assert_eq!(slow.next_at, Some(4 * READ_EVERY_NS));
    }

    #[test]
    fn slow_connections_are_as_many_as_planned_and_evenly_spread() {
        for (share, slow) in [(0.25, 25), (1.0, 100), (0.001, 0), (0.5, 50)] {
            let plan = SlowPlan {
                share,
                read_bytes_per_s: 0,
                receive_buffer_bytes: None,
            };
            let count = (0..100).filter(|&index| plan.is_slow(index)).count();
            assert_eq!(count, slow, "{share}");
        }
    }
}
