"""The counts of the peer client for one connection."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Tally:
    """Counts of one connection; each number is compared with those received before."""

    first: int | None = None
    """First expected number; ``None`` for a feed until a message is received."""

    next: int = 0
    seen: set[int] = field(default_factory=set)
    messages: int = 0
    gaps: int = 0
    duplicates: int = 0
    reordered: int = 0
    wrong: int = 0
    response_time_ns: list[int] = field(default_factory=list)

    @property
    def missing(self) -> int:
        """Number of numbers below the highest one that were not received."""
        return self.next - (self.first or 0) - len(self.seen)

    def add(self, number: int, *, is_right: bool = True) -> bool:
        """Count a message; return whether it is correct and not a duplicate."""
        self.messages += 1
        self.wrong += not is_right
        if self.first is None:
            self.first = self.next = number
        if number in self.seen:
            self.duplicates += 1
            return False
        self.reordered += number < self.next
        self.gaps += number > self.next
        self.seen.add(number)
        self.next = max(self.next, number + 1)
        return is_right
