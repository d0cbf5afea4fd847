"""Checks the order of a connection's numbers: docs/published.md, clause 2.3."""

from __future__ import annotations

REMEMBERED = 128
GAP_MAX = 2**32
VERDICTS = ("in_order", "gaps", "missing", "duplicates", "reordered", "unexpected")
ALL_RECEIVED = 2**REMEMBERED - 1


class Sequence:
    """The sequence numbers of one connection, and the number of each verdict."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(VERDICTS, 0)
        self._first: int | None = None
        self._next = 0
        # Bit b: number _next - 1 - b has arrived, or precedes the first number.
        self._received = ALL_RECEIVED
        self._has_forgotten = False

    def check(self, number: int) -> str:
        """Classify a number and count the verdict."""
        if self._first is None:
            self._first = self._next = number
        verdict = self._judge(number, self._first)
        counts = self.counts
        if verdict == "gap":
            counts["gaps"] += 1
            counts["missing"] += number - self._next
        elif verdict == "duplicate":
            counts["duplicates"] += 1
        else:
            counts[verdict] += 1
        if verdict == "reordered":
            counts["missing"] = max(0, counts["missing"] - 1)
            self._received |= 1 << (self._next - 1 - number)
        elif verdict in ("in_order", "gap"):
            self._advance(number - self._next + 1)
        return verdict

    def _judge(self, number: int, first: int) -> str:
        ahead = number - self._next
        if ahead == 0:
            return "in_order"
        if ahead > 0:
            return "gap" if ahead <= GAP_MAX else "unexpected"
        if number < first:
            return "unexpected"
        if -ahead > REMEMBERED:
            return "unexpected" if self._has_forgotten else "duplicate"
        return "duplicate" if self._received >> (-ahead - 1) & 1 else "reordered"

    def _advance(self, step: int) -> None:
        """Advance by ``step`` numbers, of which only the last has arrived."""
        self._next += step
        shift = min(step, REMEMBERED)
        left = self._received >> (REMEMBERED - shift)
        if left != (1 << shift) - 1 or step > REMEMBERED:
            self._has_forgotten = True
        self._received = (self._received << shift | 1) & ALL_RECEIVED
