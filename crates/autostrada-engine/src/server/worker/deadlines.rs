//! By when something must have happened to a connection, where each has as long as any other.

use std::collections::VecDeque;

use autostrada_measure::Nanos;

/// Connections in the order in which their time began.
#[derive(Debug)]
pub struct Deadlines {
    delay_ns: Nanos,
    queue: VecDeque<(Nanos, usize, u32)>,
}

impl Deadlines {
    /// Gives each so long.
    pub fn new(delay_ns: Nanos) -> Self {
        Self {
            delay_ns,
            queue: VecDeque::new(),
        }
    }

    /// The time of a connection begins: of its number and its serial.
    pub fn push(&mut self, now: Nanos, index: usize, serial: u32) {
        self.queue.push_back((now + self.delay_ns, index, serial));
    }

    /// When the first one's time is over.
    pub fn next_at(&self) -> Option<Nanos> {
        self.queue.front().map(|&(at, _, _)| at)
    }

    /// Takes the next one whose time is over: its number and its serial.
    pub fn take_overdue(&mut self, now: Nanos) -> Option<(usize, u32)> {
        if self.next_at()? > now {
            return None;
        }
        let (_, index, serial) = self.queue.pop_front()?;
        Some((index, serial))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_the_same_time() {
        let mut deadlines = Deadlines::new(100);
        assert_eq!(deadlines.next_at(), None);
        deadlines.push(5, 1, 11);
        deadlines.push(6, 2, 12);
        assert_eq!(deadlines.next_at(), Some(105));
        assert_eq!(deadlines.take_overdue(104), None);
        assert_eq!(deadlines.take_overdue(105), Some((1, 11)));
        assert_eq!(deadlines.take_overdue(105), None);
        assert_eq!(deadlines.take_overdue(106), Some((2, 12)));
        assert_eq!(deadlines.take_overdue(Nanos::MAX), None);
    }
}
