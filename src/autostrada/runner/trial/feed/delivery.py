"""What was sent of a feed and what of it came, by the words of both ends together."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from autostrada.errors import ClosedEarly, Miscounted
from autostrada.experiment.workload import Feed
from autostrada.runner.trial.feed.plans import connections_of_worker
from autostrada.runner.trial.feed.words import Delivered, Handed, Numbers
from autostrada.stats.durations import Value

SECOND_NS = 1_000_000_000
EARLY_NS = 500_000_000
EARLY_SHARE = 0.1
"""A connection that ends so much before the feed does, by time or by share of it, has
been lost: the least of both. Less may be the way in which a server ends its feed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Delivery:
    """A feed that is over."""

    workload: Feed
    handed: Sequence[Handed]
    """Of each of the server's processes."""

    delivered: Sequence[Delivered]
    """Of each of the clients' processes; they were given to the server's in turn."""

    @property
    def connections(self) -> int:
        """How many there were to be."""
        return self.workload.processes * self.workload.connections

    @property
    def is_continuous(self) -> bool:
        """Whether messages are sent as fast as they are taken."""
        return self.workload.every_ms is None

    @property
    def window_ns(self) -> int:
        """How long the feed is."""
        return round(self.workload.seconds * SECOND_NS)

    @property
    def start_ns(self) -> int:
        """When the last connection was open."""
        return max(each.ready_ns for each in self.delivered)

    @property
    def sent_messages(self) -> int | None:
        """How many were handed to the library; ``None`` where that is not known."""
        if not all(each.is_whole for each in self.handed):
            return None
        return sum(each.messages for each in self.handed)

    @property
    def received_messages(self) -> int:
        """How many came, whenever."""
        return sum(each.messages for each in self.delivered)

    @property
    def received_in_window(self) -> float:
        """How many came within the feed's seconds; of a second at its end, in part."""
        return sum(map(self._in_window, self.delivered))

    @property
    def wrong_messages(self) -> int:
        """How many had another content than they should."""
        return sum(each.wrong for each in self.delivered)

    def counted(self, verdict: str) -> int:
        """Return how many numbers got a verdict; without numbers none did."""
        return sum(_counted(each.numbers, verdict) for each in self.delivered)

    @property
    def has_numbers(self) -> bool:
        """Whether messages have numbers."""
        return any(each.numbers for each in self.delivered)

    @property
    def due_messages(self) -> int | None:
        """
        How many were due where they were counted, of all; of an interval only.

        The engine counts from when all of its connections are open. The feed begins
        then, and its first message to each may have come before: it is due to nobody.
        """
        if self.is_continuous:
            return None
        return sum(map(self._due, self.delivered))

    @property
    def lacking_messages(self) -> int:
        """How many of those that were due never came; 0 without an interval."""
        if self.is_continuous:
            return 0
        return sum(max(0, self._due(each) - each.messages) for each in self.delivered)

    @property
    def achieved_share(self) -> float | None:
        """Of what was due: how much came; ``None`` where nothing was due."""
        due = self.due_messages
        return 1 - self.lacking_messages / due if due else None

    @property
    def disconnected_clients(self) -> int:
        """How many connections ended before the feed did."""
        return sum(map(self._lost, range(len(self.delivered))))

    @property
    def cut_off_clients(self) -> int:
        """How many client processes were still receiving when their time was over."""
        return sum(each.is_cut_off for each in self.delivered)

    @property
    def dropped_messages(self) -> int:
        """
        How many were handed to the library and did not come.

        The engine counts from when its last connection is open: what came before is
        not missed.
        """
        missing = max(0, self.counted("missing"))
        sent = self.sent_messages
        is_counted_late = any(each.engine for each in self.delivered)
        is_whole = not (self.disconnected_clients or self.cut_off_clients)
        if sent is None or (is_counted_late and is_whole):
            return missing
        return max(0, sent - self.received_messages)

    def latencies(self) -> list[Value]:
        """Return all latencies in order: nanoseconds, and how many."""
        counts: Counter[int] = Counter()
        for each in self.delivered:
            for value_ns, count in each.latencies:
                counts[value_ns] += count
        return sorted(counts.items())

    def check(self) -> None:
        """
        Refuse what cannot be.

        Raises:
            ContestantError: not all connections were opened, nothing was sent, or more
                came than was sent.
        """
        for each in self.delivered:
            if not each.is_cut_off and each.connections != self.workload.connections:
                raise ClosedEarly(
                    f"let {each.connections} of {self.workload.connections} "
                    f"connections open",
                    process="server",
                )
        sent = self.sent_messages
        if sent == 0:
            raise Miscounted("sent nothing", process="server")
        if sent is not None and self.received_messages > sent:
            raise Miscounted(
                f"counted {self.received_messages:,} messages; "
                f"{sent:,} were handed over"
            )

    def _due(self, each: Delivered) -> int:
        """Return how many were due to one client where it counted them."""
        every_ms = self.workload.every_ms
        assert every_ms is not None, "a feed at an interval"
        ticks = ceil(self.workload.seconds * 1000 / every_ms)
        counted = ticks - 1 if each.engine else ticks
        return counted * self.workload.connections

    def _in_window(self, each: Delivered) -> float:
        start_ns, end_ns = self.start_ns, self.start_ns + self.window_ns
        count = 0.0
        for begin_ns, last_ns, messages in _spans(each):
            # Nothing is sent before all connections are open.
            first_ns = min(max(begin_ns, start_ns), last_ns)
            inside_ns = min(last_ns, end_ns) - first_ns
            span_ns = last_ns - first_ns
            share = inside_ns / span_ns if span_ns else float(inside_ns == 0)
            count += messages * min(1.0, max(0.0, share))
        return count

    def _lost(self, index: int) -> int:
        """Return how many connections of a client ended before the feed did."""
        each, early_ns = self.delivered[index], self._early_ns()
        if each.is_cut_off:
            return 0
        if each.engine is None:
            is_over = each.ended_ns < self.start_ns + early_ns
            return each.connections if is_over else self._lost_by_count(index)
        if each.engine.window_ns < early_ns:
            return each.connections
        return sum(
            second.closed
            for second in each.seconds
            if each.opened_ns + (second.second + 1) * SECOND_NS
            <= each.ready_ns + early_ns
        )

    def _early_ns(self) -> int:
        """Return up to when after its beginning no connection should end."""
        last_ns = self.window_ns
        if self.workload.every_ms is not None:
            last_ns -= round(self.workload.every_ms * 1e6)
        return last_ns - min(EARLY_NS, round(EARLY_SHARE * last_ns))

    def _lost_by_count(self, index: int) -> int:
        """
        Return how many connections of a contestant got less than others of its worker.

        Numbers that are missing in between were lost otherwise.
        """
        worker = index % self.workload.workers
        audience = connections_of_worker(self.workload)
        own = self.workload.connections
        made = max(
            self.handed[worker].messages / audience,
            *(
                each.messages / own
                for each in self.delivered[worker :: self.workload.workers]
            ),
        )
        each = self.delivered[index]
        lacking = own * made - each.messages - _counted(each.numbers, "missing")
        return min(own, max(0, ceil(lacking / made))) if made else 0


def _counted(numbers: Numbers | None, verdict: str) -> int:
    return int(getattr(numbers, verdict)) if numbers else 0


def _spans(each: Delivered) -> Iterator[tuple[int, int, int]]:
    """Yield from when to when how many came; the last span ends with the last one."""
    first_ns = each.opened_ns
    for second in each.seconds:
        yield first_ns, first_ns + SECOND_NS, second.messages
        first_ns += SECOND_NS
    left = each.messages - sum(second.messages for second in each.seconds)
    yield first_ns, max(first_ns, each.ended_ns), left
