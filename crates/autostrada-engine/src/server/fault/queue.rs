//! Messages that wait for their time: those of all connections, in one row.

use std::collections::VecDeque;

use autostrada_measure::Nanos;

use super::Message;
use crate::plan::FaultPlan;

/// A thread that wakes late makes up for so much of it; what is later than this is not sent in a
/// burst.
const CATCH_UP_NS: Nanos = 100_000_000;

/// A connection: its place among those of its thread, and which one of those that had it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipient {
    /// Its place.
    pub index: usize,
    /// Which connection of its thread it is.
    pub serial: u32,
}

/// What a connection is sent.
#[derive(Debug, PartialEq, Eq)]
pub enum Departure {
    /// A message.
    Message(Message),
    /// That it is over.
    End,
}

impl Departure {
    /// How much memory it takes.
    pub fn held_bytes(&self) -> usize {
        match self {
            Self::Message(message) => message.held_bytes(),
            Self::End => size_of::<Self>(),
        }
    }
}

#[derive(Debug)]
struct Waiting {
    ready_at: Nanos,
    recipient: Recipient,
    departure: Departure,
}

/// Messages that wait for their time, in the order in which they leave: each is delayed as long as
/// any other, and none leaves sooner than the rate lets it after the one before.
#[derive(Debug)]
pub struct Queue {
    delay_ns: Nanos,
    /// How far two are apart, where there is a rate.
    distance_ns: Option<Nanos>,
    /// Before this none leaves.
    next_from: Nanos,
    waiting: VecDeque<Waiting>,
}

impl Queue {
    /// An empty one.
    pub fn new(plan: &FaultPlan) -> Self {
        Self {
            delay_ns: plan.delay_ns(),
            distance_ns: plan.distance_ns(),
            next_from: 0,
            waiting: VecDeque::new(),
        }
    }

    /// Whether no message waits for its time, ever.
    pub fn is_idle(&self) -> bool {
        self.delay_ns == 0 && self.distance_ns.is_none()
    }

    /// Takes what a connection is to be sent, and would be at this instant.
    pub fn push(&mut self, now: Nanos, recipient: Recipient, departure: Departure) {
        self.waiting.push_back(Waiting {
            ready_at: now + self.delay_ns,
            recipient,
            departure,
        });
    }

    /// When the next one leaves.
    pub fn next_at(&self) -> Option<Nanos> {
        let next = self.waiting.front()?;
        Some(match next.departure {
            Departure::Message(_) => next.ready_at.max(self.next_from),
            Departure::End => next.ready_at,
        })
    }

    /// Takes the next one out, if it leaves by now.
    pub fn pop(&mut self, now: Nanos) -> Option<(Recipient, Departure)> {
        let leaves_at = self.next_at().filter(|&at| at <= now)?;
        let next = self.waiting.pop_front()?;
        if let (Some(distance_ns), Departure::Message(_)) = (self.distance_ns, &next.departure) {
            let soonest = now.saturating_sub(CATCH_UP_NS);
            self.next_from = soonest.max(leaves_at + distance_ns);
        }
        Some((next.recipient, next.departure))
    }

    /// Forgets what a connection would have been sent.
    pub fn forget(&mut self, recipient: Recipient) {
        self.waiting.retain(|one| one.recipient != recipient);
    }

    /// Takes note that nothing could leave until now: the rate does not make up for it.
    pub fn resume(&mut self, now: Nanos) {
        self.next_from = self.next_from.max(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use autostrada_proto::frame::Opcode;

    const ONE: Recipient = Recipient {
        index: 1,
        serial: 10,
    };
    const OTHER: Recipient = Recipient {
        index: 2,
        serial: 20,
    };

    fn queue(settings: &str) -> Queue {
        Queue::new(&serde_json::from_str(&format!("{{{settings}}}")).unwrap())
    }

    fn message(name: u8) -> Departure {
        Departure::Message(Message {
            opcode: Opcode::Binary,
            payload: vec![name],
        })
    }

    /// When each leaves that waits, asked for at that instant.
    fn departures(queue: &mut Queue) -> Vec<Nanos> {
        let next = || {
            let at = queue.next_at()?;
            assert_eq!(queue.pop(at - 1), None);
            queue.pop(at).map(|_| at)
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn only_a_delay_or_a_rate_makes_messages_wait() {
        assert!(queue("").is_idle());
        assert!(!queue(r#""delay_ms": 1"#).is_idle());
        assert!(!queue(r#""rate_per_s": 1"#).is_idle());
    }

    #[test]
    fn each_is_delayed_as_long_and_none_waits_for_another() {
        let mut queue = queue(r#""delay_ms": 1"#);
        for at in [5, 5, 7] {
            queue.push(at, ONE, message(0));
        }
        assert_eq!(departures(&mut queue), [1_000_005, 1_000_005, 1_000_007]);
        assert_eq!(queue.next_at(), None);
    }

    #[test]
    fn a_rate_spaces_the_messages_of_all_connections() {
        let mut queue = queue(r#""rate_per_s": 1000"#);
        for recipient in [ONE, OTHER, ONE] {
            queue.push(7, recipient, message(0));
        }
        assert_eq!(departures(&mut queue), [7, 1_000_007, 2_000_007]);
        queue.push(2_500_000, OTHER, message(0));
        assert_eq!(departures(&mut queue), [3_000_007]);
    }

    #[test]
    fn who_was_idle_has_saved_nothing() {
        let mut queue = queue(r#""rate_per_s": 1000"#);
        queue.push(5, ONE, message(0));
        assert_eq!(departures(&mut queue), [5]);
        for _ in 0..3 {
            queue.push(900_000_000, ONE, message(0));
        }
        let expected = [900_000_000, 901_000_000, 902_000_000];
        assert_eq!(departures(&mut queue), expected);
    }

    #[test]
    fn the_rate_is_kept_by_a_thread_that_wakes_a_little_late() {
        let mut queue = queue(r#""rate_per_s": 1000"#);
        for _ in 0..4 {
            queue.push(1_000_000_000, ONE, message(0));
        }
        assert!(queue.pop(1_000_000_000).is_some());
        // Asked at 2.9 ms: those that were due at 1 and 2 ms; then the one of 3 ms.
        assert!(queue.pop(1_002_900_000).is_some());
        assert!(queue.pop(1_002_900_000).is_some());
        assert!(queue.pop(1_002_900_000).is_none());
        assert_eq!(queue.next_at(), Some(1_003_000_000));
    }

    #[test]
    fn what_is_very_late_or_was_stalled_does_not_come_in_a_burst() {
        let mut late = queue(r#""rate_per_s": 10"#);
        let mut stalled = queue(r#""rate_per_s": 10"#);
        for queue in [&mut late, &mut stalled] {
            for _ in 0..100 {
                queue.push(0, ONE, message(0));
            }
            assert!(queue.pop(0).is_some());
        }
        let now = 5_000_000_000;
        assert!(late.pop(now).is_some());
        assert!(late.pop(now).is_some());
        assert_eq!(late.next_at(), Some(now));
        stalled.resume(now);
        assert!(stalled.pop(now).is_some());
        assert_eq!(stalled.next_at(), Some(now + 100_000_000));
    }

    #[test]
    fn the_rate_comes_after_the_delay() {
        let mut queue = queue(r#""delay_ms": 1, "rate_per_s": 2000"#);
        for at in [0, 0, 2_000_000] {
            queue.push(at, ONE, message(0));
        }
        assert_eq!(departures(&mut queue), [1_000_000, 1_500_000, 3_000_000]);
    }

    #[test]
    fn an_end_follows_its_messages_and_takes_nothing_of_the_rate() {
        let mut queue = queue(r#""delay_ms": 1, "rate_per_s": 1000"#);
        queue.push(0, ONE, message(0));
        queue.push(0, ONE, Departure::End);
        queue.push(0, OTHER, message(0));
        assert_eq!(departures(&mut queue), [1_000_000, 1_000_000, 2_000_000]);
    }

    #[test]
    fn who_is_gone_delays_nobody() {
        let mut queue = queue(r#""rate_per_s": 1"#);
        for recipient in [ONE, ONE, OTHER, ONE] {
            queue.push(9, recipient, message(0));
        }
        queue.forget(ONE);
        assert_eq!(queue.pop(9), Some((OTHER, message(0))));
        assert_eq!(queue.next_at(), None);
    }
}
