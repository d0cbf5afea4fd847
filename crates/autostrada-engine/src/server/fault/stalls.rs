//! Planned stops of the whole server.

use autostrada_measure::Nanos;

use crate::plan::Stall;

/// Stops at each multiple of an interval after the first connection opened.
#[derive(Debug)]
pub struct Stalls {
    stall: Stall,
    /// When the next stop begins; `None` before the first connection.
    next_at: Option<Nanos>,
}

impl Stalls {
    /// Creates the stops; the first interval begins when the first connection opens.
    pub fn new(stall: Stall) -> Self {
        Self {
            stall,
            next_at: None,
        }
    }

    /// Records that a connection has opened.
    pub fn note_opened(&mut self, now: Nanos) {
        self.next_at.get_or_insert(now + self.stall.every_ns);
    }

    /// Returns when the next stop begins; `None` before the first connection.
    pub fn next_at(&self) -> Option<Nanos> {
        self.next_at
    }

    /// Begins the stop that is due; returns when it ends, or `None` if none is due.
    ///
    /// A stop whose end has passed is skipped.
    pub fn begin(&mut self, now: Nanos) -> Option<Nanos> {
        let due = self.next_at.filter(|&at| at <= now)?;
        let Stall { every_ns, for_ns } = self.stall;
        let begun = now - (now - due) % every_ns;
        self.next_at = Some(begun + every_ns);
        Some(begun + for_ns).filter(|&until| until > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STALL: Stall = Stall {
        every_ns: 100,
        for_ns: 30,
    };

    #[test]
    fn stops_begin_at_multiples_of_the_interval_after_the_first_connection() {
        let mut stalls = Stalls::new(STALL);
        assert_eq!((stalls.next_at(), stalls.begin(Nanos::MAX)), (None, None));
        stalls.note_opened(7);
        stalls.note_opened(50);
        assert_eq!(stalls.next_at(), Some(107));
        assert_eq!(stalls.begin(106), None);
        assert_eq!(stalls.begin(107), Some(137));
        assert_eq!(stalls.begin(137), None);
        assert_eq!(stalls.begin(209), Some(237), "a late stop ends on time");
        assert_eq!(stalls.next_at(), Some(307));
    }

    #[test]
    fn a_stop_whose_end_has_passed_is_skipped() {
        let mut stalls = Stalls::new(STALL);
        stalls.note_opened(0);
        assert_eq!(stalls.begin(550), None);
        assert_eq!(stalls.next_at(), Some(600));
        assert_eq!(stalls.begin(710), Some(730));
    }
}
