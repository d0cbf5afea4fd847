"""What was sent of a feed and what was received, from the reports of both ends."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from autostrada.engine.messages import LoadResult, Regularity
from autostrada.errors import ClosedEarly, Miscounted
from autostrada.stats.durations import Value, mean_ns, quantile_ns
from autostrada.store.record import Figure
from autostrada.workloads.report import (
    ClientReport,
    SequenceCounts,
    ServerReport,
    Window,
)

LATENCY_QUANTILES = {
    "latency_ms_p50": 0.5,
    "latency_ms_p99": 0.99,
    "latency_ms_max": 1.0,
}

SECOND_NS = 1_000_000_000
EARLY_NS = 500_000_000
EARLY_SHARE = 0.1
"""A connection that ends so much before the feed does, by time or by share of it, has
been lost: the least of both. Less may be the way in which a server ends its feed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Delivery:
    """A feed that is over."""

    connections_each: int
    """That each client process was to open."""

    duration_s: float
    """How long the feed is by its plan."""

    every_ms: float | None
    """Its interval; ``None``: messages are sent as fast as they are taken."""

    servers: Sequence[ServerReport]
    clients: Sequence[ClientReport]
    """They were given to the server's processes in turn."""

    @property
    def connections(self) -> int:
        """How many there were to be."""
        return len(self.clients) * self.connections_each

    @property
    def is_continuous(self) -> bool:
        """Whether messages are sent as fast as they are taken."""
        return self.every_ms is None

    @property
    def window_ns(self) -> int:
        """How long the feed is."""
        return round(self.duration_s * SECOND_NS)

    @property
    def window(self) -> Window:
        """The feed's time: it begins when the last connection is open."""
        return Window(start_ns=self.start_ns, duration_ns=self.window_ns)

    @property
    def loads(self) -> list[LoadResult]:
        """The results of those clients that are the engine."""
        return [each.load for each in self.clients if each.load]

    @property
    def regularity(self) -> list[Regularity]:
        """How regularly messages of an interval came, where the engine tells it."""
        return [each.regularity for each in self.loads if each.regularity]

    @property
    def start_ns(self) -> int:
        """When the last connection was open."""
        return max(each.ready_ns for each in self.clients)

    @property
    def sent_messages(self) -> int | None:
        """How many were handed to the library; ``None`` where that is not known."""
        if not all(each.is_whole for each in self.servers):
            return None
        return sum(each.messages for each in self.servers)

    @property
    def received_messages(self) -> int:
        """How many came, whenever."""
        return sum(each.messages for each in self.clients)

    @property
    def received_in_window(self) -> float:
        """How many came within the feed's seconds; of a second at its end, in part."""
        return sum(map(self._in_window, self.clients))

    @property
    def wrong_messages(self) -> int:
        """How many had another content than they should."""
        return sum(each.wrong for each in self.clients)

    def counted(self, verdict: str) -> int:
        """Return how many numbers got a verdict; without numbers none did."""
        return sum(_counted(each.sequence, verdict) for each in self.clients)

    @property
    def has_numbers(self) -> bool:
        """Whether messages have numbers."""
        return any(each.sequence for each in self.clients)

    @property
    def due_messages(self) -> int | None:
        """
        How many were due where they were counted, of all; of an interval only.

        The engine counts from when all of its connections are open. The feed begins
        then, and its first message to each may have come before: it is due to nobody.
        """
        if self.is_continuous:
            return None
        return sum(map(self._due, self.clients))

    @property
    def lacking_messages(self) -> int:
        """How many of those that were due never came; 0 without an interval."""
        if self.is_continuous:
            return 0
        return sum(max(0, self._due(each) - each.messages) for each in self.clients)

    @property
    def achieved_share(self) -> float | None:
        """Of what was due: how much came; ``None`` where nothing was due."""
        due = self.due_messages
        return 1 - self.lacking_messages / due if due else None

    @property
    def disconnected_clients(self) -> int:
        """How many connections ended before the feed did."""
        return sum(map(self._lost, range(len(self.clients))))

    @property
    def cut_off_clients(self) -> int:
        """How many client processes were still receiving when their time was over."""
        return sum(each.is_cut_off for each in self.clients)

    @property
    def dropped_messages(self) -> int:
        """
        How many were handed to the library and did not come.

        The engine counts from when its last connection is open: what came before is
        not missed.
        """
        missing = max(0, self.counted("missing"))
        sent = self.sent_messages
        is_counted_late = any(each.load for each in self.clients)
        is_whole = not (self.disconnected_clients or self.cut_off_clients)
        if sent is None or (is_counted_late and is_whole):
            return missing
        return max(0, sent - self.received_messages)

    def latencies(self) -> list[Value]:
        """Return all latencies in order: nanoseconds, and how many."""
        counts: Counter[int] = Counter()
        for each in self.clients:
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
        for each in self.clients:
            if not each.is_cut_off and each.connections != self.connections_each:
                raise ClosedEarly(
                    f"let {each.connections} of {self.connections_each} "
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

    def _due(self, each: ClientReport) -> int:
        """Return how many were due to one client where it counted them."""
        every_ms = self.every_ms
        assert every_ms is not None, "a feed at an interval"
        ticks = ceil(self.duration_s * 1000 / every_ms)
        counted = ticks - 1 if each.load else ticks
        return counted * self.connections_each

    def _in_window(self, each: ClientReport) -> float:
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
        each, early_ns = self.clients[index], self._early_ns()
        if each.is_cut_off:
            return 0
        if each.load is None:
            is_over = each.ended_ns < self.start_ns + early_ns
            return each.connections if is_over else self._lost_by_count(index)
        if each.load.window_ns < early_ns:
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
        if self.every_ms is not None:
            last_ns -= round(self.every_ms * 1e6)
        return last_ns - min(EARLY_NS, round(EARLY_SHARE * last_ns))

    def _lost_by_count(self, index: int) -> int:
        """
        Return how many connections of a contestant got less than others of its worker.

        Numbers that are missing in between were lost otherwise.
        """
        worker = index % len(self.servers)
        own = self.connections_each
        subscribers = len(self.clients) // len(self.servers) * own
        made = max(
            self.servers[worker].messages / subscribers,
            *(
                each.messages / own
                for each in self.clients[worker :: len(self.servers)]
            ),
        )
        each = self.clients[index]
        lacking = own * made - each.messages - _counted(each.sequence, "missing")
        return min(own, max(0, ceil(lacking / made))) if made else 0


def faults(delivery: Delivery) -> Iterator[str]:
    """Say what broke, in words."""
    for count, one, several in (
        (delivery.counted("missing"), "message is missing", "messages are missing"),
        (delivery.counted("duplicates"), "message came twice", "messages came twice"),
        (
            delivery.counted("reordered"),
            "message came out of order",
            "messages came out of order",
        ),
        (
            delivery.wrong_messages,
            "message was not what it should be",
            "messages were not what they should be",
        ),
        (
            delivery.disconnected_clients,
            "connection ended before the feed",
            "connections ended before the feed",
        ),
        (
            delivery.cut_off_clients,
            "client was still receiving when its time was over",
            "clients were still receiving when their time was over",
        ),
    ):
        if count > 0:
            yield f"{count:,} {one if count == 1 else several}"


def feed_figures(delivery: Delivery) -> Iterator[Figure]:
    """Yield what both ends report of the messages."""
    yield from _sent_figures(delivery)
    yield from _received_figures(delivery)
    yield from _latency_figures(delivery)
    yield from _regularity_figures(delivery)


def _sent_figures(delivery: Delivery) -> Iterator[Figure]:
    sent = delivery.sent_messages
    if sent is None:
        return
    per_s = sent / delivery.duration_s
    yield server_figure("sent_messages", sent)
    yield server_figure("sent_per_s", per_s)
    yield server_figure("sent_per_client_per_s", per_s / delivery.connections)


def _received_figures(delivery: Delivery) -> Iterator[Figure]:
    received, connections = delivery.received_messages, delivery.connections
    per_s = delivery.received_in_window / delivery.duration_s
    yield client_figure("received_messages", received)
    yield client_figure("received_per_s", per_s)
    yield client_figure("received_per_client", received / connections)
    yield client_figure("received_per_client_per_s", per_s / connections)
    dropped = delivery.dropped_messages
    yield client_figure("dropped_messages", dropped)
    yield client_figure(
        "dropped_share", dropped / (delivery.sent_messages or received or 1)
    )
    if delivery.has_numbers:
        yield client_figure("missing_messages", delivery.counted("missing"))
    yield client_figure("wrong_messages", delivery.wrong_messages)
    yield client_figure("disconnected_clients", delivery.disconnected_clients)


def _latency_figures(delivery: Delivery) -> Iterator[Figure]:
    latencies = delivery.latencies()
    if not latencies:
        return
    yield client_figure("latency_ms_mean", mean_ns(latencies) / 1e6)
    for figure, quantile in LATENCY_QUANTILES.items():
        yield client_figure(figure, quantile_ns(latencies, quantile) / 1e6)


def _regularity_figures(delivery: Delivery) -> Iterator[Figure]:
    """Yield how regularly messages came that were due at an interval."""
    regularity = delivery.regularity
    if not regularity:
        return
    # What has no numbers shows by its count alone that something is missing.
    backlog = max(delivery.lacking_messages, delivery.counted("missing"))
    due = sum(each.judged for each in regularity) + backlog
    on_time = sum(each.on_time for each in regularity)
    yield client_figure("on_time_share", on_time / due if due else 0.0)
    yield client_figure(
        "burst_max_messages", max(each.burst_max for each in regularity)
    )
    yield client_figure("backlog_messages", backlog)


def client_figure(figure: str, value: float) -> Figure:
    return Figure(process="client", figure=figure, value=float(value))


def server_figure(figure: str, value: float) -> Figure:
    return Figure(process="server", figure=figure, value=float(value))


def _counted(sequence: SequenceCounts | None, verdict: str) -> int:
    return int(getattr(sequence, verdict)) if sequence else 0


def _spans(each: ClientReport) -> Iterator[tuple[int, int, int]]:
    """Yield from when to when how many came; the last span ends with the last one."""
    first_ns = each.opened_ns
    for second in each.seconds:
        yield first_ns, first_ns + SECOND_NS, second.messages
        first_ns += SECOND_NS
    left = each.messages - sum(second.messages for second in each.seconds)
    yield first_ns, max(first_ns, each.ended_ns), left
