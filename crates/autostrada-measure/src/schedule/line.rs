//! Messages evenly spaced: exact by integers, in closed form and by additions.

use super::rate::Rate;
use crate::Nanos;

/// An instant that does not come; what is due then is never due.
pub(super) const NEVER: Nanos = Nanos::MAX;

/// A constant rate from some message on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    /// The instant from which `phase` is counted.
    pub start: Nanos,
    /// The number of the first message of the line.
    pub first: u64,
    /// How long after `start` the first message is due, in nanoseconds over `rate.messages`.
    pub phase: u64,
    /// Of the messages.
    pub rate: Rate,
}

impl Line {
    /// The line whose message 0 is due at the start.
    pub fn constant(rate: Rate) -> Self {
        Self {
            start: 0,
            first: 0,
            phase: 0,
            rate,
        }
    }

    /// When message `number` is due; it must not be before the first.
    pub fn due_at(&self, number: u64) -> Option<Nanos> {
        let due = self.walk(number, 0, 0).due();
        (due != NEVER).then_some(due)
    }

    /// How many messages of the line are due before `end`.
    pub fn count_until(&self, end: Nanos) -> u64 {
        // The k-th after the first is counted while (phase + k × per_ns) / messages < span.
        let span = u128::from(end.saturating_sub(self.start));
        let time = (span * u128::from(self.rate.messages)).saturating_sub(self.phase.into());
        let count = time.div_ceil(u128::from(self.rate.per_ns));
        u64::try_from(count).expect("a rate is at most one message a nanosecond")
    }

    /// Begins at message `number`, to go on by `step` or by `jump` messages.
    pub fn walk(&self, number: u64, step: u64, jump: u64) -> Walk {
        if self.rate == Rate::ZERO {
            return Walk::never();
        }
        let per_ns = u128::from(self.rate.per_ns);
        let split = |time: u128| {
            let messages = u128::from(self.rate.messages);
            let remainder = u64::try_from(time % messages).expect("below a divisor of 64 bits");
            let whole = Nanos::try_from(time / messages).unwrap_or(NEVER);
            Span { whole, remainder }
        };
        let sooner = u128::from(number - self.first) * per_ns + u128::from(self.phase);
        let at = split(sooner);
        Walk {
            at: Span {
                whole: at.whole.saturating_add(self.start),
                remainder: at.remainder,
            },
            step: split(u128::from(step) * per_ns),
            jump: split(u128::from(jump) * per_ns),
            messages: self.rate.messages,
        }
    }
}

/// A time: whole nanoseconds, and a remainder in nanoseconds over `Walk::messages`.
#[derive(Debug, Clone, Copy)]
struct Span {
    whole: Nanos,
    remainder: u64,
}

/// A place on a line, moved by additions only: no division, and no rounding to add up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk {
    at: Span,
    step: Span,
    jump: Span,
    messages: u64,
}

impl Walk {
    /// Nothing is ever due.
    pub fn never() -> Self {
        let none = Span {
            whole: 0,
            remainder: 0,
        };
        Self {
            at: Span {
                whole: NEVER,
                remainder: 0,
            },
            step: none,
            jump: none,
            messages: 1,
        }
    }

    /// When the message at this place is due, or `NEVER`.
    #[inline]
    pub fn due(&self) -> Nanos {
        self.at.whole
    }

    /// Goes on by one step, or by the jump.
    #[inline]
    pub fn advance(&mut self, is_jump: bool) {
        let by = if is_jump { self.jump } else { self.step };
        // Saturating: what would be due after 584 years is never due.
        self.at.whole = self.at.whole.saturating_add(by.whole);
        // Both are below `messages`, which is below 2^60: no overflow.
        self.at.remainder += by.remainder;
        if self.at.remainder >= self.messages {
            self.at.remainder -= self.messages;
            self.at.whole = self.at.whole.saturating_add(1);
        }
    }
}
