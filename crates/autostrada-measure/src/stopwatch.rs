//! A stopwatch that adds up the intervals between start and stop.

use crate::Nanos;

/// Adds up the lengths of any number of intervals.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stopwatch {
    /// Total length of the ended intervals, in nanoseconds.
    pub total_ns: Nanos,
    running_since: Option<Nanos>,
}

impl Stopwatch {
    /// Begins an interval, unless one is running.
    pub fn start(&mut self, now: Nanos) {
        self.running_since.get_or_insert(now);
    }

    /// Ends the running interval, if there is one.
    /// Panics if `now` is before the start of the interval.
    pub fn stop(&mut self, now: Nanos) {
        if let Some(since) = self.running_since.take() {
            assert!(since <= now, "a monotonic clock went backwards");
            self.total_ns += now - since;
        }
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
        assert_eq!(watch.total_ns, 6);
    }
}
