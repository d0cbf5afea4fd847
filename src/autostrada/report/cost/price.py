"""What a million users would cost a month, by what one cell of a run has used."""

from dataclasses import dataclass

from autostrada.report.compare.figure import CPU, MEMORY
from autostrada.report.compare.side import Samples
from autostrada.stats.efficiency import Cost, Prices, Usage, cost

USERS = 1_000_000

CONNECTIONS = 1
"""Of a push there is one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PricedCell:
    """What users cost with one contestant in one workload."""

    contestant: str
    usage: Usage
    cost: Cost


def price(
    samples: Samples, prices: Prices, messages_per_user_s: float
) -> PricedCell | None:
    """Return what users cost by the medians of a cell; None where one is not known."""
    cpu_us, memory_mib = CPU.median(samples), MEMORY.median(samples)
    if cpu_us is None or memory_mib is None:
        return None
    usage = Usage(
        messages=1,
        cpu_ns=cpu_us * 1e3,
        memory_bytes=memory_mib * 2**20,
        connections=CONNECTIONS,
    )
    return PricedCell(
        contestant=samples.cell.contestant,
        usage=usage,
        cost=cost(usage, prices, users=USERS, messages_per_user_s=messages_per_user_s),
    )
