//! Checks the numbers of a connection's messages for gaps, duplicates and reordering (RFC 4737).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Number of the latest message numbers that are tracked individually.
pub const WINDOW: u32 = 128;

/// Largest accepted gap: more messages than a connection carries in an hour.
///
/// A number further ahead is unexpected. It must not dominate the number of missing messages.
const GAP_MAX: u64 = 1 << 32;

/// The class of the number of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberClass {
    /// The number is the next one, or the first one after the connection joined.
    InOrder,
    /// Numbers before it have not arrived yet.
    Gap {
        /// Number of missing messages, at most `GAP_MAX`.
        missing: u64,
    },
    /// The number has arrived before.
    Duplicate,
    /// The number arrived after a later one. It had been counted as missing.
    Reordered,
    /// The number is too far ahead, from before the connection joined, or so old that it is not
    /// known whether it was missing.
    Unexpected,
}

/// The numbers received on one connection, in 48 bytes whatever the peer sends.
///
/// Numbers may wrap around at 2^64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sequence {
    seen: Option<Numbers>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Numbers {
    /// Bit b is set if `next - 1 - b` has arrived or is from before `base`.
    window: u128,
    base: u64,
    next: u64,
    /// Whether a number that is older than the window has not arrived.
    has_forgotten_gap: bool,
}

impl Sequence {
    /// Creates a sequence that begins with the first received number, for a connection that joins
    /// a running feed.
    pub fn joining() -> Self {
        Self { seen: None }
    }

    /// Creates a sequence that begins with `base`: missing numbers at the beginning are a gap.
    pub fn starting_at(base: u64) -> Self {
        Self {
            seen: Some(Numbers {
                window: u128::MAX,
                base,
                next: base,
                has_forgotten_gap: false,
            }),
        }
    }

    /// Returns the number that would be in order; `None` before the first one of a joining
    /// connection.
    ///
    /// If the last number of a feed is known, the difference is what is missing at its end.
    pub fn next(&self) -> Option<u64> {
        self.seen.map(|seen| seen.next)
    }

    /// Classifies the number of a received message.
    #[inline]
    pub fn classify(&mut self, number: u64) -> NumberClass {
        if self.seen.is_none() {
            *self = Self::starting_at(number);
        }
        let seen = self.seen.as_mut().expect("set above if it was `None`");
        // As in RFC 1982, a number is ahead if the distance is less than half of all numbers.
        let ahead = number.wrapping_sub(seen.next);
        if ahead == 0 {
            seen.advance(1);
            NumberClass::InOrder
        } else if ahead <= GAP_MAX {
            seen.advance(ahead + 1);
            NumberClass::Gap { missing: ahead }
        } else if ahead < 1 << 63 {
            NumberClass::Unexpected
        } else {
            seen.classify_earlier(number)
        }
    }
}

impl Numbers {
    /// Advances by `step` numbers, of which only the last has arrived.
    #[inline]
    fn advance(&mut self, step: u64) {
        self.next = self.next.wrapping_add(step);
        match u32::try_from(step) {
            Ok(shift) if shift < WINDOW => {
                self.has_forgotten_gap |= self.window.leading_ones() < shift;
                self.window = self.window << shift | 1;
            }
            _ => {
                self.has_forgotten_gap |= self.window != u128::MAX || step > u64::from(WINDOW);
                self.window = 1;
            }
        }
    }

    /// Classifies a number before `next`.
    fn classify_earlier(&mut self, number: u64) -> NumberClass {
        let span = self.next.wrapping_sub(self.base);
        if number.wrapping_sub(self.base) >= span {
            return NumberClass::Unexpected;
        }
        let age = self.next.wrapping_sub(number) - 1;
        if age >= u64::from(WINDOW) {
            // If no gap is older than the window, all numbers of that age have arrived.
            return if self.has_forgotten_gap {
                NumberClass::Unexpected
            } else {
                NumberClass::Duplicate
            };
        }
        let bit = 1_u128 << age;
        if self.window & bit != 0 {
            return NumberClass::Duplicate;
        }
        self.window |= bit;
        NumberClass::Reordered
    }
}

/// Order of numbered messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "Sequence")]
pub struct SequenceCounts {
    /// Messages with the next number, or with the first number on a connection that joined a feed.
    pub in_order: u64,
    /// Number of times that one or more numbers were skipped.
    pub gaps: u64,
    /// Skipped numbers that were not received later.
    pub missing: u64,
    /// Messages whose number had already been received.
    pub duplicates: u64,
    /// Messages that arrived after a message with a higher number. Until they arrived, they counted
    /// as missing.
    pub reordered: u64,
    /// Messages whose number cannot be classified: too far ahead, from before the connection
    /// joined, or too old to determine whether it was missing.
    pub unexpected: u64,
}

impl SequenceCounts {
    /// Counts a message of this class.
    ///
    /// A reordered message reduces the number of missing ones, but not below 0: it may have been
    /// counted as missing elsewhere, for example before a window.
    #[inline]
    pub fn count(&mut self, class: NumberClass) {
        match class {
            NumberClass::InOrder => self.in_order += 1,
            NumberClass::Gap { missing } => {
                self.gaps += 1;
                // The gaps of one connection sum up to less than 2^64. Only several peers with
                // wrong numbers could exceed it.
                self.missing = self.missing.saturating_add(missing);
            }
            NumberClass::Duplicate => self.duplicates += 1,
            NumberClass::Reordered => {
                self.reordered += 1;
                self.missing = self.missing.saturating_sub(1);
            }
            NumberClass::Unexpected => self.unexpected += 1,
        }
    }

    /// Adds the counts of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.in_order += other.in_order;
        self.gaps += other.gaps;
        self.missing = self.missing.saturating_add(other.missing);
        self.duplicates += other.duplicates;
        self.reordered += other.reordered;
        self.unexpected += other.unexpected;
    }
}
