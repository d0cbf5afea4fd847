"""What a message and a connection cost: in CPU time, in memory, and in money."""

from dataclasses import dataclass

HOURS_A_MONTH = 365 * 24 / 12
GIB = 2**30


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """What one process used while it received or answered messages."""

    messages: float
    cpu_ns: float
    memory_bytes: float
    connections: int

    @property
    def messages_per_cpu_s(self) -> float:
        """How many messages a core manages in a second of its time."""
        return 1e9 * self.messages / self.cpu_ns

    @property
    def cpu_us_per_message(self) -> float:
        """How long a core is busy with one message."""
        return self.cpu_ns / 1e3 / self.messages

    @property
    def memory_bytes_per_connection(self) -> float:
        """Memory by connections: with one connection, that of the whole process."""
        return self.memory_bytes / self.connections


def wire_bytes_per_payload_byte(wire_bytes: float, payload_bytes: float) -> float:
    """Return what the protocol makes of a byte, with its headers and control frames."""
    assert payload_bytes > 0, "a share of nothing"
    return wire_bytes / payload_bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Prices:
    """What is paid, in whatever currency; none is built in, as none lasts."""

    core_hour: float
    gib_hour: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """How many cores and how much memory users keep busy, and the price of a month."""

    cores: float
    memory_gib: float
    cpu_a_month: float
    memory_a_month: float

    @property
    def a_month(self) -> float:
        """Both together."""
        return self.cpu_a_month + self.memory_a_month


def cost(
    usage: Usage, prices: Prices, *, users: int, messages_per_user_s: float
) -> Cost:
    """
    Return what users cost a month, each with a connection and its messages.

    ::

        cores = users × messages_per_user_s × CPU seconds a message
        GiB   = users × memory a connection
        price = (cores × core_hour + GiB × gib_hour) × 730 hours

    This assumes that a message costs the same CPU time at any rate and any number of
    connections; that each connection adds the memory that one has in the measurement;
    that cores are paid by what is used of them, all 24 hours; and that nothing else
    is to be paid, neither head-room nor traffic.
    """
    cores = users * messages_per_user_s * usage.cpu_us_per_message / 1e6
    memory_gib = users * usage.memory_bytes_per_connection / GIB
    return Cost(
        cores=cores,
        memory_gib=memory_gib,
        cpu_a_month=cores * prices.core_hour * HOURS_A_MONTH,
        memory_a_month=memory_gib * prices.gib_hour * HOURS_A_MONTH,
    )
