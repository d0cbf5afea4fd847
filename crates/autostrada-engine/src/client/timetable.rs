//! The phases of a trial, or of a slice of one, and the instants between them.

use std::ops::Range;

use autostrada_measure::Nanos;

/// The planned durations of the phases of a trial.
#[derive(Debug, Clone, Copy, Default)]
pub struct Durations {
    /// Maximum time for opening all connections.
    pub opening_ns: Nanos,
    /// Length of the warm-up, in which nothing is counted.
    pub warm_up_ns: Nanos,
    /// Length of the window: messages that are due within it count.
    pub window_ns: Nanos,
    /// Maximum time for outstanding answers after the window.
    pub drain_ns: Nanos,
    /// Maximum time from the first connection to the end of the window.
    pub limit_ns: Nanos,
}

/// The instants of a trial. The default has an empty window, in which nothing counts.
#[derive(Debug, Clone, Default)]
pub struct Timetable {
    /// Instant at which the first messages are sent.
    pub started_at: Nanos,
    /// The window: messages that are due within it count.
    pub window: Range<Nanos>,
    /// Instant after which no answer is awaited.
    pub drained_at: Nanos,
}

impl Timetable {
    /// Returns the length of the drain.
    pub fn drain_ns(&self) -> Nanos {
        self.drained_at - self.window.end
    }

    /// Whether an instant of the window is in its first half.
    #[inline]
    pub fn is_in_first_half(&self, now: Nanos) -> bool {
        now - self.window.start < (self.window.end - self.window.start) / 2
    }
}

impl Durations {
    /// Returns the timetable of a trial whose first connection is opened at `begun_at`, and whose
    /// first message is sent at `started_at`.
    pub fn timetable(self, begun_at: Nanos, started_at: Nanos) -> Timetable {
        let counts_from = started_at + self.warm_up_ns;
        let counts_until = (counts_from + self.window_ns)
            .min(begun_at.saturating_add(self.limit_ns))
            .max(counts_from);
        Timetable {
            started_at,
            window: counts_from..counts_until,
            drained_at: counts_until + self.drain_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DURATIONS: Durations = Durations {
        opening_ns: 0,
        warm_up_ns: 10,
        window_ns: 100,
        drain_ns: 50,
        limit_ns: Nanos::MAX,
    };

    #[test]
    fn the_window_follows_the_warm_up_and_the_drain_the_window() {
        let timetable = DURATIONS.timetable(0, 1_000);
        assert_eq!(timetable.window, 1_010..1_110);
        assert_eq!(timetable.drained_at, 1_160);
    }

    #[test]
    fn what_opening_took_is_part_of_the_limit() {
        let durations = |limit_ns| Durations {
            limit_ns,
            ..DURATIONS
        };
        assert_eq!(durations(500).timetable(600, 1_000).window, 1_010..1_100);
        assert_eq!(durations(1).timetable(600, 1_000).window, 1_010..1_010);
    }
}
