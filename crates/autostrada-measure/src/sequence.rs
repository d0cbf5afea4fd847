//! Are the numbers of a connection's messages in order, missing, repeated or late?

/// How many of the latest numbers are remembered one by one.
pub const WINDOW: u32 = 128;

/// The largest gap that is believed: more messages than a connection carries in an hour.
///
/// A number further ahead is a fault of its own, and must not bury the true count of gaps.
pub const GAP_MAX: u64 = 1 << 32;

/// What the number of a message says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is the one that follows; or the first, where the connection joined.
    InOrder,
    /// Numbers before it have not come (yet).
    Gap {
        /// So many, at most `GAP_MAX`.
        missing: u64,
    },
    /// It has come before.
    Duplicate,
    /// It has come after a later one, and had been counted as missing: it no longer is.
    Reordered,
    /// It cannot be placed: too far ahead, or from before the connection joined, or so old that
    /// nobody remembers whether it was missing.
    Unexpected,
}

/// The numbers seen on one connection, in 48 bytes whatever the peer sends.
///
/// Numbers may wrap around at 2^64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sequence {
    seen: Option<Seen>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    /// Bit b: `next - 1 - b` has come, or is from before `base`.
    window: u128,
    base: u64,
    next: u64,
    /// A number that is older than the window has not come.
    has_forgotten_gap: bool,
}

impl Sequence {
    /// Takes the first number that comes for the base: a connection that joins in the middle.
    #[must_use]
    pub fn joining() -> Self {
        Self { seen: None }
    }

    /// Expects `base` first: what is missing at the beginning is a gap.
    #[must_use]
    pub fn starting_at(base: u64) -> Self {
        Self {
            seen: Some(Seen {
                window: u128::MAX,
                base,
                next: base,
                has_forgotten_gap: false,
            }),
        }
    }

    /// The number that would be in order; `None` before the first of a connection that joins.
    ///
    /// Where the last number of a feed is known, what is missing at its end is told by this.
    #[must_use]
    pub fn next(&self) -> Option<u64> {
        self.seen.map(|seen| seen.next)
    }

    /// Judges the number of the message that has come.
    #[inline]
    pub fn check(&mut self, number: u64) -> Verdict {
        if self.seen.is_none() {
            *self = Self::starting_at(number);
        }
        let seen = self.seen.as_mut().expect("set just above");
        // As in RFC 1982: what is less than half of all numbers ahead, is ahead.
        let ahead = number.wrapping_sub(seen.next);
        if ahead == 0 {
            seen.take(1);
            Verdict::InOrder
        } else if ahead <= GAP_MAX {
            seen.take(ahead + 1);
            Verdict::Gap { missing: ahead }
        } else if ahead < 1 << 63 {
            Verdict::Unexpected
        } else {
            seen.place(number)
        }
    }
}

impl Seen {
    /// Goes on by `step` numbers, of which the last has come.
    #[inline]
    fn take(&mut self, step: u64) {
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

    /// Finds out about a number before `next`.
    fn place(&mut self, number: u64) -> Verdict {
        let span = self.next.wrapping_sub(self.base);
        if number.wrapping_sub(self.base) >= span {
            return Verdict::Unexpected;
        }
        let age = self.next.wrapping_sub(number) - 1;
        if age >= u64::from(WINDOW) {
            // With no gap forgotten, all that old has come.
            return if self.has_forgotten_gap {
                Verdict::Unexpected
            } else {
                Verdict::Duplicate
            };
        }
        let bit = 1_u128 << age;
        if self.window & bit != 0 {
            return Verdict::Duplicate;
        }
        self.window |= bit;
        Verdict::Reordered
    }
}

/// How often each verdict was given, over any number of connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SequenceCounts {
    /// Messages in order.
    pub in_order: u64,
    /// Messages before which others were missing when they came.
    pub gaps: u64,
    /// Numbers that have not come: of all gaps together, less those that came late.
    pub missing: u64,
    /// Messages that had come before.
    pub duplicates: u64,
    /// Messages that came after a later one.
    pub reordered: u64,
    /// Messages whose number cannot be placed.
    pub unexpected: u64,
}

impl SequenceCounts {
    /// Counts one verdict.
    ///
    /// A message that comes late is taken off those that are missing, unless it was counted as
    /// missing elsewhere: before a window, say.
    #[inline]
    pub fn count(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::InOrder => self.in_order += 1,
            Verdict::Gap { missing } => {
                self.gaps += 1;
                // The gaps of a connection lie within 2^64 numbers, so only a crowd of peers
                // that lie could come to more.
                self.missing = self.missing.saturating_add(missing);
            }
            Verdict::Duplicate => self.duplicates += 1,
            Verdict::Reordered => {
                self.reordered += 1;
                self.missing = self.missing.saturating_sub(1);
            }
            Verdict::Unexpected => self.unexpected += 1,
        }
    }

    /// Adds what another thread has counted.
    pub fn merge(&mut self, other: &Self) {
        self.in_order += other.in_order;
        self.gaps += other.gaps;
        self.missing = self.missing.saturating_add(other.missing);
        self.duplicates += other.duplicates;
        self.reordered += other.reordered;
        self.unexpected += other.unexpected;
    }
}
