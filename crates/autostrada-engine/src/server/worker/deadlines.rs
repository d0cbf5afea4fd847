//! Deadlines of connections that all have the same time limit.

use std::collections::VecDeque;

use autostrada_measure::Nanos;

/// Connections, in the order of their deadlines.
#[derive(Debug)]
pub struct Deadlines {
    delay_ns: Nanos,
    queue: VecDeque<(Nanos, usize, u32)>,
}

impl Deadlines {
    /// Creates an empty list with a time limit of `delay_ns`.
    pub fn new(delay_ns: Nanos) -> Self {
        Self {
            delay_ns,
            queue: VecDeque::new(),
        }
    }

    /// Starts the time limit of the connection with this index and serial number.
    pub fn push(&mut self, now: Nanos, index: usize, serial: u32) {
        self.queue.push_back((now + self.delay_ns, index, serial));
    }

    /// Returns the next deadline; `None` if there is none.
    pub fn next_at(&self) -> Option<Nanos> {
        self.queue.front().map(|&(at, _, _)| at)
    }

    /// Removes the next connection whose deadline has passed; returns its index and serial number.
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
    fn all_have_the_same_time_limit() {
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
