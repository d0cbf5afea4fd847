//! The schedule of a feed: when its messages are due, and which is the last.

use autostrada_measure::Nanos;

use crate::plan::FeedPlan;

/// The schedule of a feed.
#[derive(Debug, Clone, Copy)]
pub struct FeedSchedule {
    interval_ns: Option<Nanos>,
    duration_ns: Option<Nanos>,
    messages: Option<u64>,
}

impl FeedSchedule {
    /// Returns the schedule of a plan.
    pub fn new(plan: &FeedPlan) -> Self {
        Self {
            interval_ns: plan.interval_ns(),
            duration_ns: plan.duration_ns(),
            messages: plan.messages,
        }
    }

    /// Returns whether the feed has no interval: it is as fast as its slowest subscriber.
    pub fn is_continuous(self) -> bool {
        self.interval_ns.is_none()
    }

    /// Returns when message `number` is due, or `None` if the feed ends before it.
    ///
    /// The instant depends only on the start of the feed, so that a late message delays no other.
    pub fn due_at(self, started_ns: Nanos, number: u64) -> Option<Nanos> {
        let due_ns = self.next_at(started_ns, number);
        let is_late = self
            .ends_at(started_ns)
            .is_some_and(|ends_at| due_ns >= ends_at);
        (!is_late && !self.is_past_last(number)).then_some(due_ns)
    }

    /// Returns when message `number` would be due if the feed did not end.
    ///
    /// For the number after the last message, this is the end of the last message's interval.
    pub fn next_at(self, started_ns: Nanos, number: u64) -> Nanos {
        let offset_ns = self.interval_ns.unwrap_or(0).saturating_mul(number);
        started_ns.saturating_add(offset_ns)
    }

    /// Returns the number of the first message that is due at `now` or later.
    pub fn first_from(self, started_ns: Nanos, now: Nanos) -> u64 {
        match self.interval_ns {
            None => 0,
            Some(interval_ns) => now.saturating_sub(started_ns).div_ceil(interval_ns),
        }
    }

    /// Returns whether the feed has no message with this number, because `messages` are planned.
    pub fn is_past_last(self, number: u64) -> bool {
        self.messages.is_some_and(|messages| number >= messages)
    }

    /// Returns when the feed ends; `None` if its plan has no `seconds`.
    pub fn ends_at(self, started_ns: Nanos) -> Option<Nanos> {
        Some(started_ns.saturating_add(self.duration_ns?))
    }

    /// Returns whether a feed without an interval is over at `now`, before message `number`.
    pub fn is_over(self, started_ns: Nanos, number: u64, now: Nanos) -> bool {
        let is_late = self
            .ends_at(started_ns)
            .is_some_and(|ends_at| now >= ends_at);
        self.is_past_last(number) || is_late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(settings: &str) -> FeedSchedule {
        let json = format!(r#"{{"kind": "clock", {settings}}}"#);
        FeedSchedule::new(&serde_json::from_str(&json).unwrap())
    }

    #[test]
    fn a_message_is_due_by_its_number() {
        let schedule = schedule(r#""every_ms": 20, "messages": 1000"#);
        assert!(!schedule.is_continuous());
        assert_eq!(schedule.due_at(7, 0), Some(7));
        assert_eq!(schedule.due_at(7, 999), Some(7 + 999 * 20_000_000));
        assert_eq!(schedule.due_at(7, 1_000), None);
        assert_eq!(schedule.first_from(7, 3), 0);
        assert_eq!(schedule.first_from(7, 20_000_008), 2);
    }

    #[test]
    fn a_message_that_would_be_due_at_the_end_is_not_sent() {
        let schedule = schedule(r#""every_ms": 20, "seconds": 1"#);
        assert_eq!(schedule.due_at(0, 49), Some(980_000_000));
        assert_eq!(schedule.due_at(0, 50), None);
        assert_eq!(schedule.next_at(0, 50), 1_000_000_000);
    }

    #[test]
    fn without_an_interval_the_duration_or_the_number_ends_the_feed() {
        let timed = schedule(r#""seconds": 1"#);
        assert!(timed.is_continuous());
        assert!(!timed.is_over(5, 1_000_000, 1_000_000_004));
        assert!(timed.is_over(5, 0, 1_000_000_005));
        let counted = schedule(r#""messages": 3"#);
        assert!(!counted.is_over(5, 2, Nanos::MAX));
        assert!(counted.is_over(5, 3, 5));
    }
}
