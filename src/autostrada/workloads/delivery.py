"""Compares the messages sent and received in a feed, from the reports of both ends."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from autostrada.engine.messages import LoadResult, Regularity
from autostrada.errors import ClosedEarly, Miscounted
from autostrada.stats.buckets import Value, mean_ns, quantile_ns
from autostrada.store.record import MetricValue
from autostrada.workloads.load import client_metric, server_metric
from autostrada.workloads.report import (
    DROPPING,
    PACED,
    ClientReport,
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
"""A connection counts as lost if it ends earlier than the feed by more than the smaller
of ``EARLY_NS`` and ``EARLY_SHARE`` of the feed. A smaller difference may result from
how a server ends its feed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Delivery:
    """A finished feed: its parameters and the reports of all processes."""

    connections_each: int
    """Planned number of connections of each client process."""

    duration_s: float
    """Planned duration of the feed in seconds."""

    every_ms: float | None
    """Interval between messages; ``None`` if messages are sent continuously, as fast as
    they are received."""

    servers: Sequence[ServerReport]
    clients: Sequence[ClientReport]
    """Reports of the clients, which are assigned to the servers in turn; those of a
    contestant come before those of the engine."""

    @property
    def measured_clients(self) -> Sequence[ClientReport]:
        """The clients of the contestant; all clients if every one is the engine."""
        return [client for client in self.clients if not client.load] or self.clients

    @property
    def references(self) -> Sequence[ClientReport]:
        """The clients that are the engine beside those of a contestant."""
        if len(self.measured_clients) == len(self.clients):
            return []
        return [client for client in self.clients if client.load]

    @property
    def pace(self) -> str:
        """How the servers treat subscribers that read slowly."""
        return self.servers[0].pace

    @property
    def connections(self) -> int:
        """Planned number of connections of all clients."""
        return len(self.clients) * self.connections_each

    @property
    def is_continuous(self) -> bool:
        """Whether messages are sent as fast as they are received."""
        return self.every_ms is None

    @property
    def window_ns(self) -> int:
        """Planned duration of the feed in nanoseconds."""
        return round(self.duration_s * SECOND_NS)

    @property
    def window(self) -> Window:
        """Window of the feed; it begins when the last connection is open."""
        return Window(start_ns=self.start_ns, duration_ns=self.window_ns)

    @property
    def loads(self) -> list[LoadResult]:
        """The results of all clients that are the engine."""
        return [client.load for client in self.clients if client.load]

    @property
    def regularity(self) -> list[Regularity]:
        """Inter-arrival regularity, as reported by clients that are the engine."""
        return [load.regularity for load in self.loads if load.regularity]

    @property
    def start_ns(self) -> int:
        """Monotonic time at which the last connection was open."""
        return max(client.ready_ns for client in self.clients)

    @property
    def sent_messages(self) -> int | None:
        """Number of messages handed to the library; ``None`` if it is unknown."""
        if not all(server.is_whole for server in self.servers):
            return None
        return sum(server.messages for server in self.servers)

    @property
    def received_messages(self) -> int:
        """Number of received messages, also outside the window."""
        return sum(client.messages for client in self.clients)

    @property
    def received_in_window(self) -> float:
        """
        Estimated number of messages received within the window.

        A second that lies only partly in the window counts in proportion.
        """
        return sum(map(self._in_window, self.clients))

    @property
    def measured_in_window(self) -> float:
        """``received_in_window`` by the measured clients."""
        return sum(map(self._in_window, self.measured_clients))

    @property
    def unreceived_share(self) -> float | None:
        """
        Share of what a measured client was sent and has not received in the window.

        It is ``None`` if the number sent is unknown, and for a feed at an interval.
        """
        if not self.sent_messages or not self.is_continuous:
            return None
        sent_each = self.sent_messages / self.connections
        measured = len(self.measured_clients) * self.connections_each
        return max(0.0, 1 - self.measured_in_window / measured / sent_each)

    @property
    def wrong_messages(self) -> int:
        """Number of messages with wrong content."""
        return sum(client.wrong for client in self.clients)

    def count(self, verdict: str) -> int:
        """Return the sum of one field of ``SequenceCounts``; 0 without numbers."""
        return _count_verdicts(self.clients, verdict)

    @property
    def due_messages(self) -> int | None:
        """
        Number of messages due at all clients; ``None`` for a continuous feed.

        The engine starts to count when all of its connections are open. The feed begins
        at the same time, so the first message of each connection may arrive earlier and
        does not count as due.
        """
        if self.is_continuous:
            return None
        return sum(map(self._due, self.clients))

    @property
    def lacking_messages(self) -> int:
        """Number of due messages that were not received; 0 for a continuous feed."""
        if self.is_continuous:
            return 0
        return sum(
            max(0, self._due(client) - client.messages) for client in self.clients
        )

    @property
    def late_share(self) -> float | None:
        """
        Share of the due messages that came after the next one was due, or never.

        It is ``None`` for a continuous feed, and if no latency is known.
        """
        due, latencies = self.due_messages, self.latencies()
        if not due or not latencies or self.every_ms is None:
            return None
        late_ns = self.every_ms * 1e6
        late = sum(count for latency_ns, count in latencies if latency_ns > late_ns)
        return (late + self.lacking_messages) / due

    @property
    def achieved_share(self) -> float | None:
        """Share of the due messages that were received; ``None`` if none were due."""
        due = self.due_messages
        return 1 - self.lacking_messages / due if due else None

    @property
    def disconnected_clients(self) -> int:
        """Number of connections that ended before the feed."""
        return sum(map(self._lost, range(len(self.clients))))

    @property
    def cut_off_clients(self) -> int:
        """Number of client processes that were still receiving at the deadline."""
        return sum(client.is_cut_off for client in self.clients)

    @property
    def dropped_messages(self) -> int:
        """Number of messages that were handed to the library and not received."""
        return self._dropped_messages(range(len(self.clients)))

    @property
    def measured_dropped(self) -> tuple[int, float]:
        """
        Number of messages not received by the measured clients, and their share.

        If a connection ended early, it is that of all clients, because the server does
        not count messages by connection.
        """
        clients = range(len(self.measured_clients))
        if self.sent_messages is None or self.disconnected_clients:
            clients = range(len(self.clients))
        dropped = self._dropped_messages(clients)
        handed = sum(map(self._handed_messages, clients)) or self.received_messages
        return dropped, dropped / (handed or 1)

    def latencies(self, clients: Sequence[ClientReport] | None = None) -> list[Value]:
        """
        Return the latencies of some clients, or of all, sorted.

        They are pairs of nanoseconds and count.
        """
        counts: Counter[int] = Counter()
        for client in self.clients if clients is None else clients:
            for value_ns, count in client.latencies:
                counts[value_ns] += count
        return sorted(counts.items())

    def check(self) -> None:
        """
        Check that the reports are consistent.

        Raises:
            ContestantError: not all connections were opened, nothing was sent, or more
                messages were received than sent.
        """
        for client in self.clients:
            if not client.is_cut_off and client.connections != self.connections_each:
                raise ClosedEarly(
                    f"let {client.connections} of {self.connections_each} "
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

    def _dropped_messages(self, clients: Sequence[int]) -> int:
        """
        Return the number of messages handed over for some clients and not received.

        The engine starts to count when its last connection is open, so messages
        received earlier are not counted as dropped.
        """
        if self.sent_messages is not None and self.disconnected_clients:
            return max(0, self.sent_messages - self.received_messages)
        return sum(map(self._dropped_by, clients))

    def _dropped_by(self, index: int) -> int:
        each = self.clients[index]
        is_counted_late = each.load and not each.is_cut_off
        if self.sent_messages is None or is_counted_late:
            return max(0, _count_verdicts([each], "missing"))
        return max(0, round(self._handed_messages(index)) - each.messages)

    def _handed_messages(self, index: int) -> float:
        """Return the number of messages handed over for one client, 0 if unknown."""
        if self.sent_messages is None:
            return 0.0
        server = self.servers[index % len(self.servers)]
        return server.messages * len(self.servers) / len(self.clients)

    def _due(self, each: ClientReport) -> int:
        """Return the number of messages due at one client while it counted."""
        every_ms = self.every_ms
        assert every_ms is not None, "a feed at an interval"
        ticks = ceil(self.duration_s * 1000 / every_ms)
        counted = ticks - 1 if each.load else ticks
        return counted * self.connections_each

    def _in_window(self, each: ClientReport) -> float:
        start_ns, end_ns = self.start_ns, self.start_ns + self.window_ns
        count = 0.0
        for begin_ns, last_ns, messages in _spans(each):
            # Messages are sent only after all connections are open.
            first_ns = min(max(begin_ns, start_ns), last_ns)
            inside_ns = min(last_ns, end_ns) - first_ns
            span_ns = last_ns - first_ns
            share = inside_ns / span_ns if span_ns else float(inside_ns == 0)
            count += messages * min(1.0, max(0.0, share))
        return count

    def _lost(self, index: int) -> int:
        """Return the number of connections of a client that ended before the feed."""
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
        """Return the time after the start before which an ended connection is lost."""
        last_ns = self.window_ns
        if self.every_ms is not None:
            last_ns -= round(self.every_ms * 1e6)
        return last_ns - min(EARLY_NS, round(EARLY_SHARE * last_ns))

    def _lost_by_count(self, index: int) -> int:
        """
        Estimate the lost connections of a contestant's client from its message count.

        The count is compared with the best client of the same worker. Gaps in the
        sequence numbers were lost on open connections and are not attributed to this.
        A server that drops messages may drop the last ones, which leave no gap, so the
        result is 0.
        """
        if self.pace == DROPPING:
            return 0
        worker = index % len(self.servers)
        own = self.connections_each
        subscribers = len(self.clients) // len(self.servers) * own
        made = max(
            self.servers[worker].messages / subscribers,
            *(
                client.messages / own
                for client in self.clients[worker :: len(self.servers)]
            ),
        )
        each = self.clients[index]
        lacking = own * made - each.messages - _count_verdicts([each], "missing")
        return min(own, max(0, ceil(lacking / made))) if made else 0


def faults(delivery: Delivery) -> Iterator[str]:
    """
    Describe each kind of fault, with its count.

    What a continuous feed does by design is none: one that waits for no subscriber may
    still have messages for a slow one at the time limit, and one that drops messages
    leaves gaps.
    """
    is_late_by_design = delivery.is_continuous and delivery.pace != PACED
    drops_by_design = delivery.pace == DROPPING
    for count, one, several in (
        (
            0 if drops_by_design else delivery.count("missing"),
            "message is missing",
            "messages are missing",
        ),
        (
            delivery.count("duplicates"),
            "message arrived twice",
            "messages arrived twice",
        ),
        (
            delivery.count("reordered"),
            "message arrived out of order",
            "messages arrived out of order",
        ),
        (
            delivery.wrong_messages,
            "message had wrong content",
            "messages had wrong content",
        ),
        (
            delivery.disconnected_clients,
            "connection ended before the feed",
            "connections ended before the feed",
        ),
        (
            0 if is_late_by_design else delivery.cut_off_clients,
            "client was still receiving at its time limit",
            "clients were still receiving at their time limit",
        ),
    ):
        if count > 0:
            yield f"{count:,} {one if count == 1 else several}"


def feed_metrics(delivery: Delivery) -> Iterator[MetricValue]:
    """
    Yield the metrics about messages from the reports of both ends.

    Rates and numbers of received messages are those of all clients, and so are lost
    connections. What a client received, missed or measured is that of ``measured``.
    """
    yield from _sent_metrics(delivery)
    yield from _received_metrics(delivery)
    yield from _latency_metrics(delivery)
    yield from _regularity_metrics(delivery)


def _sent_metrics(delivery: Delivery) -> Iterator[MetricValue]:
    sent = delivery.sent_messages
    if sent is None:
        return
    per_s = sent / delivery.duration_s
    yield server_metric("sent_messages", sent)
    yield server_metric("sent_per_s", per_s)
    yield server_metric("sent_per_client_per_s", per_s / delivery.connections)


def _received_metrics(delivery: Delivery) -> Iterator[MetricValue]:
    clients, duration_s = delivery.measured_clients, delivery.duration_s
    connections = len(clients) * delivery.connections_each
    received = sum(client.messages for client in clients)
    yield client_metric("received_messages", delivery.received_messages)
    yield client_metric("received_per_s", delivery.received_in_window / duration_s)
    yield client_metric("received_per_client", received / connections)
    yield client_metric(
        "received_per_client_per_s",
        delivery.measured_in_window / duration_s / connections,
    )
    if delivery.unreceived_share is not None:
        yield client_metric("unreceived_share", delivery.unreceived_share)
    dropped, share = delivery.measured_dropped
    yield client_metric("dropped_messages", dropped)
    yield client_metric("dropped_share", share)
    if any(client.sequence for client in clients):
        yield client_metric("missing_messages", _count_verdicts(clients, "missing"))
    yield client_metric("wrong_messages", sum(client.wrong for client in clients))
    yield client_metric("disconnected_clients", delivery.disconnected_clients)


def _latency_metrics(delivery: Delivery) -> Iterator[MetricValue]:
    latencies = delivery.latencies(delivery.measured_clients)
    if not latencies:
        return
    yield client_metric("latency_ms_mean", mean_ns(latencies) / 1e6)
    for metric, quantile in LATENCY_QUANTILES.items():
        yield client_metric(metric, quantile_ns(latencies, quantile) / 1e6)


def _regularity_metrics(delivery: Delivery) -> Iterator[MetricValue]:
    """Yield the inter-arrival regularity of a feed at an interval."""
    regularity = delivery.regularity
    if not regularity or delivery.references:
        return
    # Without sequence numbers, missing messages are visible only in the count.
    backlog = max(delivery.lacking_messages, delivery.count("missing"))
    due = sum(part.judged for part in regularity) + backlog
    on_time = sum(part.on_time for part in regularity)
    yield client_metric("on_time_share", on_time / due if due else 0.0)
    yield client_metric(
        "burst_max_messages", max(part.burst_max for part in regularity)
    )
    yield client_metric("backlog_messages", backlog)
    if delivery.late_share is not None:
        yield client_metric("late_share", delivery.late_share)


def _count_verdicts(clients: Iterable[ClientReport], verdict: str) -> int:
    sequences = [client.sequence for client in clients if client.sequence]
    return sum(int(getattr(sequence, verdict)) for sequence in sequences)


def _spans(each: ClientReport) -> Iterator[tuple[int, int, int]]:
    """Yield begin, end and count of each span; the last ends with the last message."""
    first_ns = each.opened_ns
    for second in each.seconds:
        yield first_ns, first_ns + SECOND_NS, second.messages
        first_ns += SECOND_NS
    left = each.messages - sum(second.messages for second in each.seconds)
    yield first_ns, max(first_ns, each.ended_ns), left
