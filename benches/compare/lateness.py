"""Send delay of an open loop at half the capacity of the closed loop."""

from functools import partial
from itertools import accumulate

from autostrada.stats.interval import median_interval

from .bench import BenchSetup
from .echo import closed_loop, open_loop
from .table import ENGINE, Bar, BenchRow, Rows, alternate

CONNECTIONS = 64
QUANTILE = 0.999
LATENESS_BAR = Bar(relation="≤", value=200)

Buckets = list[tuple[int, int]]
"""Lower bound in nanoseconds and count of each bucket: ``docs/format.md``."""


def lateness_rows(bench: BenchSetup) -> Rows:
    """Measure capacity, and lateness at half of it, in each round."""
    what = f"lateness p99.9, open loop at half of capacity, {CONNECTIONS} connections"
    samples = alternate(what, bench, {ENGINE: partial(_round, bench)})
    rates_per_s = median_interval([rate_per_s for rate_per_s, _ in samples[ENGINE]])
    lateness_us = median_interval([late_ns / 1e3 for _, late_ns in samples[ENGINE]])
    yield BenchRow(
        what=what,
        metric=lateness_us.median,
        bounds=(lateness_us.low, lateness_us.high),
        unit="µs",
        bar=LATENESS_BAR,
        details=(f"at {rates_per_s.median:,.0f} messages/s",),
    )


def _round(bench: BenchSetup) -> tuple[float, float]:
    rate_per_s = round(1e9 / closed_loop(bench, CONNECTIONS).wall_ns / 2)
    result = open_loop(bench, CONNECTIONS, rate_per_s)
    return rate_per_s, quantile_ns(result["exchange"]["send_delay_ns"], QUANTILE)


def quantile_ns(buckets: Buckets, quantile: float) -> int:
    """Return the upper bound of the bucket that contains a quantile."""
    assert buckets, "no durations"
    total = sum(count for _, count in buckets)
    cumulative_counts = accumulate(count for _, count in buckets)
    lowest_ns = next(
        lowest_ns
        for (lowest_ns, _), cumulative in zip(buckets, cumulative_counts, strict=True)
        if cumulative >= quantile * total
    )
    return lowest_ns + (1 << max(0, lowest_ns.bit_length() - 11)) - 1
