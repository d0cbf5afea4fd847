"""What the peer client counts on one connection: numbers, contents and durations."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Tally:
    """The messages of one connection; a number is judged by those that came before."""

    first: int | None = None
    """The number that is expected first; of a feed the first that comes."""

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
        """How many numbers before the last one have not come."""
        return self.next - (self.first or 0) - len(self.seen)

    def take(self, number: int, *, is_right: bool = True) -> bool:
        """Count a message; return whether it answers one that was not answered."""
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
