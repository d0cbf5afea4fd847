//! Checks the order of the sequence numbers of a connection: `docs/contract.md`, clause 7.3.

const REMEMBERED: u32 = 128;
const GAP_MAX: u64 = 1 << 32;

/// Classification of a number relative to the earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    InOrder,
    Gap,
    Duplicate,
    Reordered,
    Unexpected,
}

/// Number of messages per verdict.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Verdicts {
    pub in_order: u64,
    pub gaps: u64,
    pub missing: u64,
    pub duplicates: u64,
    pub reordered: u64,
    pub unexpected: u64,
}

impl Verdicts {
    /// Adds the counts of another connection.
    pub fn merge(&mut self, other: Self) {
        self.in_order += other.in_order;
        self.gaps += other.gaps;
        self.missing += other.missing;
        self.duplicates += other.duplicates;
        self.reordered += other.reordered;
        self.unexpected += other.unexpected;
    }

    pub fn to_json(self) -> String {
        let Self {
            in_order,
            gaps,
            missing,
            duplicates,
            reordered,
            unexpected,
        } = self;
        format!(
            r#"{{"in_order":{in_order},"gaps":{gaps},"missing":{missing},"duplicates":{duplicates},"reordered":{reordered},"unexpected":{unexpected}}}"#
        )
    }
}

/// The sequence numbers of one connection.
#[derive(Debug)]
pub struct Sequence {
    pub verdicts: Verdicts,
    first: Option<u64>,
    next: u64,
    /// Bit `b`: number `next - 1 - b` has arrived, or precedes the first number.
    received: u128,
    has_forgotten: bool,
}

impl Sequence {
    pub fn new() -> Self {
        Self {
            verdicts: Verdicts::default(),
            first: None,
            next: 0,
            received: u128::MAX,
            has_forgotten: false,
        }
    }

    /// Classifies a number and counts the verdict.
    pub fn check(&mut self, number: u64) -> Verdict {
        let first = *self.first.get_or_insert_with(|| {
            self.next = number;
            number
        });
        let verdict = self.judge(number, first);
        let verdicts = &mut self.verdicts;
        match verdict {
            Verdict::InOrder => verdicts.in_order += 1,
            Verdict::Gap => {
                verdicts.gaps += 1;
                verdicts.missing += number - self.next;
            }
            Verdict::Duplicate => verdicts.duplicates += 1,
            Verdict::Reordered => {
                verdicts.reordered += 1;
                verdicts.missing = verdicts.missing.saturating_sub(1);
                self.received |= 1 << (self.next - 1 - number);
            }
            Verdict::Unexpected => verdicts.unexpected += 1,
        }
        if matches!(verdict, Verdict::InOrder | Verdict::Gap) {
            self.advance(number - self.next + 1);
        }
        verdict
    }

    fn judge(&self, number: u64, first: u64) -> Verdict {
        if number == self.next {
            return Verdict::InOrder;
        }
        if number > self.next {
            let is_near = number - self.next <= GAP_MAX;
            return if is_near {
                Verdict::Gap
            } else {
                Verdict::Unexpected
            };
        }
        if number < first {
            return Verdict::Unexpected;
        }
        let is_received = match self.next - number {
            behind if behind <= u64::from(REMEMBERED) => self.received >> (behind - 1) & 1 == 1,
            _ if self.has_forgotten => return Verdict::Unexpected,
            _ => true,
        };
        if is_received {
            Verdict::Duplicate
        } else {
            Verdict::Reordered
        }
    }

    /// Advances by `step` numbers, of which only the last has arrived.
    fn advance(&mut self, step: u64) {
        self.next += step;
        let shift = u32::try_from(step).map_or(REMEMBERED, |step| step.min(REMEMBERED));
        // A number that leaves the memory has arrived, or is forgotten as missing.
        if self.received.leading_ones() < shift || step > u64::from(REMEMBERED) {
            self.has_forgotten = true;
        }
        self.received = self.received.checked_shl(shift).unwrap_or(0) | 1;
    }
}
