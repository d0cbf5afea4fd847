"""The figures that are compared: what they are called, their units, their samples."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from autostrada.report.compare.side import Samples
from autostrada.stats.change import Change, Direction, change

NOT_DISTINGUISHABLE = "not distinguishable"


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """One figure of a cell."""

    name: str
    """As in ``--fail-if``."""

    title: str
    """With its unit, as in tables."""

    higher: str
    lower: str
    """What a cell is that has more of it, or less."""

    take: Callable[[Samples], Sequence[float | None]]

    def samples(self, samples: Samples) -> tuple[float, ...] | None:
        """Return a number above 0 for each repetition, or None where one is missing."""
        taken = [each for each in self.take(samples) if each]
        if not taken or len(taken) < len(samples.ns_per_message):
            return None
        return tuple(taken)

    def median(self, samples: Samples) -> float | None:
        """Return the median over the repetitions; None where one is missing."""
        taken = self.samples(samples)
        return median(taken) if taken else None

    def change(self, before: Samples, after: Samples) -> Change | None:
        """Compare this figure of two cells; None where one of them does not have it."""
        first, second = self.samples(before), self.samples(after)
        if first is None or second is None:
            return None
        return change(first, second)

    def verdict(self, found: Change) -> str:
        """Return a change in a word: faster, slower, not distinguishable."""
        return {
            Direction.HIGHER: self.higher,
            Direction.LOWER: self.lower,
            Direction.UNCLEAR: NOT_DISTINGUISHABLE,
        }[found.direction]


def _ns_per_message(samples: Samples) -> Sequence[float]:
    """Nanoseconds a message are milliseconds for 1,000,000 of them."""
    return samples.ns_per_message


def _rate(samples: Samples) -> Sequence[float]:
    return [1e9 / each for each in samples.ns_per_message]


def _cpu_us(samples: Samples) -> Sequence[float | None]:
    return [each and each / 1e3 for each in samples.cpu_ns_per_message]


def _mib(samples: Samples) -> Sequence[float | None]:
    return [each and each / 2**20 for each in samples.peak_resident_bytes]


DURATION = Figure(
    name="ms_per_million",
    title="ms/1M",
    higher="slower",
    lower="faster",
    take=_ns_per_message,
)
RATE = Figure(
    name="rate",
    title="messages/s",
    higher="faster",
    lower="slower",
    take=_rate,
)
CPU = Figure(
    name="cpu_per_message", title="CPU µs", higher="more", lower="less", take=_cpu_us
)
MEMORY = Figure(name="memory", title="MiB", higher="more", lower="less", take=_mib)

SHOWN = (DURATION, CPU, MEMORY)
"""Those of the tables; the rate says the same as the duration."""

FIGURES = {figure.name: figure for figure in (DURATION, RATE, CPU, MEMORY)}
"""Those that a condition may name."""
