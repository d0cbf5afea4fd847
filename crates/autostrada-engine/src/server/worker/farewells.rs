//! Whom the server has told that it is over, and by when they must have gone.

use std::collections::VecDeque;

use autostrada_measure::Nanos;

/// How long a client may take what is left, and say that it is over too.
const FAREWELL_NS: Nanos = 10_000_000_000;

/// Connections in the order in which they were told; each has as long as any other.
#[derive(Debug, Default)]
pub struct Farewells {
    queue: VecDeque<(Nanos, usize, u32)>,
}

impl Farewells {
    /// Takes note of a connection that was told.
    pub fn push(&mut self, now: Nanos, index: usize, serial: u32) {
        self.queue.push_back((now + FAREWELL_NS, index, serial));
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// When the first must have gone.
    pub fn next_at(&self) -> Option<Nanos> {
        self.queue.front().map(|&(at, _, _)| at)
    }

    /// Takes the next one that must have gone: its number and its serial.
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
        let mut farewells = Farewells::default();
        assert_eq!(farewells.next_at(), None);
        farewells.push(5, 1, 11);
        farewells.push(6, 2, 12);
        assert_eq!(farewells.next_at(), Some(5 + FAREWELL_NS));
        assert_eq!(farewells.take_overdue(4 + FAREWELL_NS), None);
        assert_eq!(farewells.take_overdue(5 + FAREWELL_NS), Some((1, 11)));
        assert_eq!(farewells.take_overdue(5 + FAREWELL_NS), None);
        assert!(!farewells.is_empty());
    }
}
