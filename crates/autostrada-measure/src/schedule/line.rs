//! Evenly spaced messages, in exact integer arithmetic.

use super::rate::Rate;
use crate::Nanos;

/// The instant that stands for "never".
pub(super) const NEVER: Nanos = Nanos::MAX;

/// Messages at a constant rate, from a first message on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    /// The instant from which `phase` is counted.
    pub start: Nanos,
    /// The number of the first message of the line.
    pub first: u64,
    /// Time from `start` to the first message, in units of a nanosecond divided by
    /// `rate.messages`.
    pub phase: u64,
    /// Rate of the messages.
    pub rate: Rate,
}

impl Line {
    /// Returns the line whose message 0 is due at instant 0.
    pub fn constant(rate: Rate) -> Self {
        Self {
            start: 0,
            first: 0,
            phase: 0,
            rate,
        }
    }

    /// Returns the number of messages of the line that are due before `end`.
    pub fn count_until(&self, end: Nanos) -> u64 {
        // The k-th message after the first counts if (phase + k × per_ns) / messages < span.
        let span = u128::from(end.saturating_sub(self.start));
        let time = (span * u128::from(self.rate.messages)).saturating_sub(self.phase.into());
        let count = time.div_ceil(u128::from(self.rate.per_ns));
        u64::try_from(count).expect("a rate is at most one message per nanosecond")
    }

    /// Returns a walk that begins at message `number` and advances by `step` or `jump` messages.
    pub fn walk(&self, number: u64, step: u64, jump: u64) -> Walk {
        if self.rate == Rate::ZERO {
            return Walk::never();
        }
        let per_ns = u128::from(self.rate.per_ns);
        let split = |time: u128| {
            let messages = u128::from(self.rate.messages);
            let remainder = u64::try_from(time % messages).expect("less than a 64-bit divisor");
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

/// A time: whole nanoseconds, and a remainder in units of a nanosecond divided by
/// `Walk::messages`.
#[derive(Debug, Clone, Copy)]
struct Span {
    whole: Nanos,
    remainder: u64,
}

/// A position on a line, which advances by additions only: no division, and no accumulated
/// rounding.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk {
    at: Span,
    step: Span,
    jump: Span,
    messages: u64,
}

impl Walk {
    /// Returns a walk without messages.
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

    /// Returns when the message at this position is due, or `NEVER`.
    #[inline]
    pub fn due(&self) -> Nanos {
        self.at.whole
    }

    /// Advances by one step, or by the jump.
    #[inline]
    pub fn advance(&mut self, is_jump: bool) {
        let by = if is_jump { self.jump } else { self.step };
        // Saturates: a message that would be due after 584 years is never due.
        self.at.whole = self.at.whole.saturating_add(by.whole);
        // Both remainders are less than `messages`, which is less than 2^60: no overflow.
        self.at.remainder += by.remainder;
        if self.at.remainder >= self.messages {
            self.at.remainder -= self.messages;
            self.at.whole = self.at.whole.saturating_add(1);
        }
    }
}
