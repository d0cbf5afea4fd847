"""Cost of messages and connections in CPU time, memory and money."""

from dataclasses import dataclass

HOURS_PER_MONTH = 365 * 24 / 12
GIB = 2**30


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Resources that one process used to receive or answer messages."""

    messages: float
    cpu_ns: float
    memory_bytes: float
    connections: int

    @property
    def messages_per_cpu_s(self) -> float:
        """Messages per second of CPU time."""
        return 1e9 * self.messages / self.cpu_ns

    @property
    def cpu_us_per_message(self) -> float:
        """CPU time per message, in microseconds."""
        return self.cpu_ns / 1e3 / self.messages

    @property
    def memory_bytes_per_connection(self) -> float:
        """Memory of the process divided by its connections, in bytes."""
        return self.memory_bytes / self.connections


def wire_bytes_per_payload_byte(wire_bytes: float, payload_bytes: float) -> float:
    """Return the wire bytes, with headers and control frames, per byte of payload."""
    assert payload_bytes > 0, "no payload"
    return wire_bytes / payload_bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Prices:
    """Prices in any currency; there are no defaults, because prices change."""

    core_hour: float
    gib_hour: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """Cores and memory that users occupy, and their price per month."""

    cores: float
    memory_gib: float
    cpu_per_month: float
    memory_per_month: float

    @property
    def total_per_month(self) -> float:
        """Price of CPU and memory per month."""
        return self.cpu_per_month + self.memory_per_month


def cost(
    usage: Usage, prices: Prices, *, users: int, messages_per_user_s: float
) -> Cost:
    """
    Return the cost of users per month; each has one connection and sends messages.

    ::

        cores = users × messages_per_user_s × CPU seconds per message
        GiB   = users × memory per connection
        price = (cores × core_hour + GiB × gib_hour) × 730 hours

    This assumes that a message costs the same CPU time at any rate and with any number
    of connections; that each connection takes the memory per connection that was
    measured; that used cores are paid 24 hours a day; and that nothing else is paid,
    such as head-room or traffic.
    """
    cores = users * messages_per_user_s * usage.cpu_us_per_message / 1e6
    memory_gib = users * usage.memory_bytes_per_connection / GIB
    return Cost(
        cores=cores,
        memory_gib=memory_gib,
        cpu_per_month=cores * prices.core_hour * HOURS_PER_MONTH,
        memory_per_month=memory_gib * prices.gib_hour * HOURS_PER_MONTH,
    )
