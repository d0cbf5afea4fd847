//! Messages that are more than the answers to those that were sent.
//!
//! If the server sends several messages for one, a closed loop takes each of them for the answer to
//! the message that it has just sent, and receives exactly as many as it sends. The rest comes when
//! nothing more is sent, and each message has its answer.

use autostrada_measure::Nanos;

use crate::client::merge::merge;

/// Minimum time for which further messages are awaited.
const AWAITED_NS_MIN: Nanos = 100_000_000;

/// Maximum time for which further messages are awaited.
const AWAITED_NS_MAX: Nanos = 2_000_000_000;

/// Time for which further messages are awaited, as a multiple of the mean time between two messages
/// of a connection.
const AWAITED_GAPS: Nanos = 4;

/// Messages received when each message has its answer, and nothing more is sent.
#[derive(Debug, Default)]
pub struct Surplus {
    /// Number of connections on which they are awaited; 0 if they are not.
    connections: u64,
    /// Instant from which they are awaited.
    begun_at: Nanos,
    /// For how long they were awaited.
    awaited_ns: Nanos,
    /// Number of them.
    messages: u64,
}

impl Surplus {
    /// Begins to await messages on connections that together received `answers` in `elapsed_ns`;
    /// returns until when.
    pub fn begin(
        &mut self,
        connections: u64,
        answers: u64,
        elapsed_ns: Nanos,
        now: Nanos,
    ) -> Nanos {
        self.connections = connections;
        self.begun_at = now;
        let gap_ns = elapsed_ns.saturating_mul(connections) / answers.max(1);
        let awaited_ns = gap_ns.saturating_mul(AWAITED_GAPS);
        now + awaited_ns.clamp(AWAITED_NS_MIN, AWAITED_NS_MAX)
    }

    /// Counts a message that was received when all had their answers.
    pub fn count(&mut self) {
        self.messages += u64::from(self.connections > 0);
    }

    /// Whether there are more messages than connections: a greeting, or a message that the server sends
    /// to all, is one on each connection.
    pub fn is_ample(&self) -> bool {
        self.messages > self.connections
    }

    /// Ends the time for which messages are awaited.
    pub fn end(&mut self, now: Nanos) {
        self.awaited_ns = now.saturating_sub(self.begun_at);
    }

    /// Returns the number of messages that would have come in as long a time as `window_ns`, 0 if it
    /// may be by chance that any came.
    pub fn within(&self, window_ns: Nanos) -> u64 {
        if !self.is_ample() {
            return 0;
        }
        self.messages.saturating_mul(window_ns) / self.awaited_ns.max(1)
    }
}

merge!(Surplus {
    connections: sum,
    begun_at: most,
    awaited_ns: most,
    messages: sum,
});

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Nanos = 1_000_000_000;

    #[test]
    fn further_messages_are_awaited_for_several_of_the_usual_gaps() {
        for (answers, awaited_ns) in [
            (1_000_000, AWAITED_NS_MIN),
            (100, 4 * SECOND / 10),
            (1, AWAITED_NS_MAX),
            (0, AWAITED_NS_MAX),
        ] {
            let until = Surplus::default().begin(2, answers, 5 * SECOND, SECOND);
            assert_eq!(until, SECOND + awaited_ns, "{answers}");
        }
    }

    #[test]
    fn one_message_on_each_connection_may_be_by_chance() {
        let mut surplus = Surplus::default();
        surplus.count();
        surplus.begin(3, 1000, SECOND, 0);
        for _ in 0..3 {
            surplus.count();
        }
        surplus.end(SECOND / 10);
        assert_eq!(surplus.within(SECOND), 0);
        surplus.count();
        assert_eq!(surplus.within(SECOND), 40);
    }
}
