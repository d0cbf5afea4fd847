//! When the messages of a feed are due, and which is the last.

use autostrada_measure::Nanos;

use crate::plan::FeedPlan;

/// The instants of a feed, as far as its plan says.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    interval_ns: Option<Nanos>,
    duration_ns: Option<Nanos>,
    messages: Option<u64>,
}

impl Pace {
    /// The pace of a plan.
    pub fn new(plan: &FeedPlan) -> Self {
        Self {
            interval_ns: plan.interval_ns(),
            duration_ns: plan.duration_ns(),
            messages: plan.messages,
        }
    }

    /// Whether it is as fast as the slowest subscriber.
    pub fn is_continuous(self) -> bool {
        self.interval_ns.is_none()
    }

    /// When a message is due of a feed that began at an instant; `None`: there is none so late.
    ///
    /// Computed from the start, never from the message before it: a late message delays no other.
    pub fn due_at(self, started_ns: Nanos, number: u64) -> Option<Nanos> {
        let due_ns = self.next_at(started_ns, number);
        let is_late = self
            .ends_at(started_ns)
            .is_some_and(|ends_at| due_ns >= ends_at);
        (!is_late && !self.is_last(number)).then_some(due_ns)
    }

    /// When a message is due or, after the last one, would be: the time of the last ends then.
    pub fn next_at(self, started_ns: Nanos, number: u64) -> Nanos {
        let offset_ns = self.interval_ns.unwrap_or(0).saturating_mul(number);
        started_ns.saturating_add(offset_ns)
    }

    /// The number of the first message that is due at an instant or later.
    pub fn first_from(self, started_ns: Nanos, now: Nanos) -> u64 {
        match self.interval_ns {
            None => 0,
            Some(interval_ns) => now.saturating_sub(started_ns).div_ceil(interval_ns),
        }
    }

    /// Whether all messages before this number are all messages.
    pub fn is_last(self, number: u64) -> bool {
        self.messages.is_some_and(|messages| number >= messages)
    }

    /// When a feed that began at an instant is over, if its time is planned.
    pub fn ends_at(self, started_ns: Nanos) -> Option<Nanos> {
        Some(started_ns.saturating_add(self.duration_ns?))
    }

    /// Whether a feed without an interval is over at an instant.
    pub fn is_over(self, started_ns: Nanos, number: u64, now: Nanos) -> bool {
        let is_late = self
            .ends_at(started_ns)
            .is_some_and(|ends_at| now >= ends_at);
        self.is_last(number) || is_late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(settings: &str) -> Pace {
        let json = format!(r#"{{"kind": "clock", {settings}}}"#);
        Pace::new(&serde_json::from_str(&json).unwrap())
    }

    #[test]
    fn a_message_is_due_by_its_number() {
        let pace = pace(r#""every_ms": 20, "messages": 1000"#);
        assert!(!pace.is_continuous());
        assert_eq!(pace.due_at(7, 0), Some(7));
        assert_eq!(pace.due_at(7, 999), Some(7 + 999 * 20_000_000));
        assert_eq!(pace.due_at(7, 1_000), None);
        assert_eq!(pace.first_from(7, 3), 0);
        assert_eq!(pace.first_from(7, 20_000_008), 2);
    }

    #[test]
    fn what_would_be_due_at_the_end_is_not_sent() {
        let pace = pace(r#""every_ms": 20, "seconds": 1"#);
        assert_eq!(pace.due_at(0, 49), Some(980_000_000));
        assert_eq!(pace.due_at(0, 50), None);
        assert_eq!(pace.next_at(0, 50), 1_000_000_000);
    }

    #[test]
    fn without_an_interval_the_time_or_the_number_ends_it() {
        let timed = pace(r#""seconds": 1"#);
        assert!(timed.is_continuous());
        assert!(!timed.is_over(5, 1_000_000, 1_000_000_004));
        assert!(timed.is_over(5, 0, 1_000_000_005));
        let counted = pace(r#""messages": 3"#);
        assert!(!counted.is_over(5, 2, Nanos::MAX));
        assert!(counted.is_over(5, 3, 5));
    }
}
