//! Checks the order of the sequence numbers of a connection: docs/contract.md, clause 7.3.

const std = @import("std");

const REMEMBERED = 128;
const GAP_MAX = 1 << 32;

pub const Verdict = enum { in_order, gap, duplicate, reordered, unexpected };

/// Number of messages per verdict.
pub const Counts = struct {
    in_order: u64 = 0,
    gaps: u64 = 0,
    missing: u64 = 0,
    duplicates: u64 = 0,
    reordered: u64 = 0,
    unexpected: u64 = 0,

    /// Adds the counts of another object.
    pub fn merge(self: *Counts, other: Counts) void {
        inline for (std.meta.fields(Counts)) |field| {
            @field(self, field.name) += @field(other, field.name);
        }
    }
};

/// The sequence numbers of one connection, and the number of messages per verdict.
pub const Sequence = struct {
    counts: Counts = .{},
    first: ?u64 = null,
    next: u64 = 0,
    /// At index n % REMEMBERED: whether number n has arrived or precedes the first number.
    received: [REMEMBERED]bool = @splat(true),
    has_forgotten: bool = false,

    /// Classifies a number and counts the verdict.
    pub fn check(self: *Sequence, number: u64) Verdict {
        if (self.first == null) {
            self.first = number;
            self.next = number;
        }
        const verdict = self.judge(number);
        switch (verdict) {
            .in_order => {
                self.counts.in_order += 1;
                self.advance(number);
            },
            .gap => {
                self.counts.gaps += 1;
                self.counts.missing += number - self.next;
                self.advance(number);
            },
            .duplicate => self.counts.duplicates += 1,
            .reordered => {
                self.counts.reordered += 1;
                self.counts.missing -|= 1;
                self.received[number % REMEMBERED] = true;
            },
            .unexpected => self.counts.unexpected += 1,
        }
        return verdict;
    }

    fn judge(self: *const Sequence, number: u64) Verdict {
        if (number == self.next) return .in_order;
        if (number > self.next) return if (number - self.next <= GAP_MAX) .gap else .unexpected;
        if (number < self.first.?) return .unexpected;
        if (self.next - number > REMEMBERED) return if (self.has_forgotten) .unexpected else .duplicate;
        return if (self.received[number % REMEMBERED]) .duplicate else .reordered;
    }

    /// Advances to a number that has arrived.
    fn advance(self: *Sequence, number: u64) void {
        if (number - self.next >= REMEMBERED) self.has_forgotten = true;
        var left = @max(self.next, (number + 1) -| REMEMBERED);
        while (left <= number) : (left += 1) {
            if (!self.received[left % REMEMBERED]) self.has_forgotten = true;
            self.received[left % REMEMBERED] = left == number;
        }
        self.next = number + 1;
    }
};
