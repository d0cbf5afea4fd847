//! Slow consumers: connections that are read from so many bytes a second, or not at all.

use autostrada_measure::Nanos;

use super::Worker;
use crate::client::connection::Connection;
use crate::client::end::End;
use crate::client::workload::Workload;

const SECOND_NS: Nanos = 1_000_000_000;

/// How often slow connections are read from, where their rate gives a byte so often.
const READ_EVERY_NS: Nanos = 50_000_000;

/// The slow connections of a thread.
#[derive(Debug)]
pub struct SlowReaders {
    is_slow: Vec<bool>,
    connections: Vec<usize>,
    /// What each reads at a time, and how often; `None` where they read nothing.
    portion: Option<(usize, Nanos)>,
    next_at: Option<Nanos>,
}

impl SlowReaders {
    /// Each reads so many bytes a second.
    pub fn new(is_slow: Vec<bool>, read_bytes_per_s: u64) -> Self {
        let connections = (0..is_slow.len()).filter(|&index| is_slow[index]).collect();
        Self {
            is_slow,
            connections,
            portion: portion(read_bytes_per_s),
            next_at: None,
        }
    }

    /// Whether a connection is slow.
    pub fn has(&self, connection: usize) -> bool {
        self.is_slow[connection]
    }

    /// All that are.
    pub fn connections(&self) -> &[usize] {
        &self.connections
    }

    /// They are slow from here on.
    pub fn begin(&mut self, now: Nanos) {
        self.next_at = self.portion.map(|(_, every_ns)| now + every_ns);
    }

    /// How much each is to read by now.
    fn take_due(&mut self, now: Nanos) -> Option<usize> {
        let (bytes, every_ns) = self.portion?;
        let due = self.next_at.filter(|&due| due <= now)?;
        let times = 1 + (now - due) / every_ns;
        self.next_at = Some(due + times * every_ns);
        usize::try_from(times).ok()?.checked_mul(bytes)
    }
}

/// So many bytes at a time, and how often.
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

impl<W: Workload> Worker<'_, W> {
    /// Reads what slow connections are to have read by now; returns when they read again.
    pub(super) fn read_slowly(&mut self, now: Nanos) -> Option<Nanos> {
        let slow = self.slow.as_mut()?;
        if let Some(bytes) = slow.take_due(now) {
            for at in 0..slow.connections.len() {
                let index = self.slow.as_ref()?.connections[at];
                let read = self.read_portion(index, bytes);
                self.conclude(index, read);
            }
        }
        self.slow.as_ref()?.next_at
    }

    /// Reads so much of a slow connection, and answers it.
    fn read_portion(&mut self, index: usize, bytes: usize) -> Result<(), End> {
        let is_open = |connection: &&mut Connection| connection.is_open();
        let Some(connection) = self.connections[index].as_mut().filter(is_open) else {
            return Ok(());
        };
        connection.outbox.borrow_buffer(&mut self.shared.spare);
        let lane = connection.message_lane();
        self.receive(index, lane, bytes)?;
        match &mut self.connections[index] {
            Some(connection) => connection.flush(index, &mut self.shared),
            None => Ok(()),
        }
    }
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
        assert!(slow.has(2) && !slow.has(1));
        assert_eq!(slow.take_due(1), None, "they are not slow yet");
        slow.begin(0);
        assert_eq!(slow.take_due(READ_EVERY_NS - 1), None);
        assert_eq!(slow.take_due(READ_EVERY_NS), Some(50));
        assert_eq!(slow.take_due(3 * READ_EVERY_NS + 1), Some(100));
        assert_eq!(slow.next_at, Some(4 * READ_EVERY_NS));
    }
}
