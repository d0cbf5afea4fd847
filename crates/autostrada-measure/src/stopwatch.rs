//! A stopwatch that adds up the times between start and stop.

use crate::Nanos;

/// Adds up how long something went on, over any number of times.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stopwatch {
    total_ns: Nanos,
    running_since: Option<Nanos>,
}

impl Stopwatch {
    /// Starts it, if it is not running.
    pub fn start(&mut self, now: Nanos) {
        self.running_since.get_or_insert(now);
    }

    /// Stops it, if it is running.
    pub fn stop(&mut self, now: Nanos) {
        if let Some(since) = self.running_since.take() {
            assert!(since <= now, "a monotonic clock went backwards");
            self.total_ns += now - since;
        }
    }

    /// The time added up by all that was stopped.
    #[must_use]
    pub fn total_ns(&self) -> Nanos {
        self.total_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_up_the_times_between_start_and_stop() {
        let mut watch = Stopwatch::default();
        watch.stop(5);
        watch.start(10);
        watch.start(12);
        watch.stop(15);
        watch.start(20);
        watch.stop(21);
        assert_eq!(watch.total_ns(), 6);
    }
}
