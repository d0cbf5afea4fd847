"""Cost of a million users with each contestant of a run, for a terminal."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autostrada.errors import UsageError
from autostrada.experiment.matrix import REFERENCE
from autostrada.report import number
from autostrada.report.compare.sentences import origin
from autostrada.report.compare.side import Side, parse_address, read_side
from autostrada.report.results import Outcome
from autostrada.report.text import without_thin_spaces
from autostrada.stats.efficiency import Cost, Prices, Usage, cost
from autostrada.workloads.workload import Workload

USERS = 1_000_000
"""Number of users for which the cost is estimated."""

NOTE = (
    "cores = users × messages/s per user × CPU time per message; GiB = users × memory "
    "per connection, which is the memory of all processes of the contestant divided by "
    "their connections; costs are in the currency of the prices, for a month of 730 "
    "hours. If the contestant is a client with one connection, the cost is that of a "
    "million client processes, not that of a server for them. It is a rough estimate: "
    "messages measured at full throughput cost less CPU time than single messages, and "
    "a process with few connections needs more memory for each."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class PricedCell:
    """The cost of all users with one contestant in one workload."""

    contestant: str
    usage: Usage
    cost: Cost


@dataclass(frozen=True, kw_only=True, slots=True)
class CostRequest:
    """The arguments of ``autostrada cost``."""

    run: str
    store: Path
    prices: Prices
    messages_per_user_s: float


def print_cost(request: CostRequest, console: Console) -> None:
    """
    Print a row per contestant, the cheapest first, for each workload of a run.

    Raises:
        UsageError: the run does not exist, or a price is not finite.
    """
    prices, messages_per_user_s = request.prices, request.messages_per_user_s
    metrics = (prices.core_hour, prices.gib_hour, messages_per_user_s)
    if not all(isfinite(metric) for metric in metrics):
        raise UsageError(
            "prices and messages must be finite numbers, as in --core-hour 0.04"
        )
    side = read_side(parse_address(request.run, request.store))
    _print_line(console, origin(side))
    _print_line(
        console,
        f"{number.plain(USERS, 0)} users, {messages_per_user_s:g} messages/s "
        f"each; {prices.core_hour:g} per core-hour, {prices.gib_hour:g} per GiB-hour",
    )
    for name, workload in side.results.experiment.points().items():
        priced = [
            found
            for (_, point), outcome in side.outcomes.items()
            if point == name
            and (found := price(outcome, workload, prices, messages_per_user_s))
        ]
        console.print()
        _print_line(console, name, "bold")
        console.print(
            _table(sorted(priced, key=lambda each: each.cost.total_per_month))
        )
        _print_line(console, _left_out(side, name, priced), "red")
    _print_line(console, NOTE, "dim")


def price(
    outcome: Outcome, workload: Workload, prices: Prices, messages_per_user_s: float
) -> PricedCell | None:
    """Return the cost by a cell's metrics; ``None`` if CPU or memory is unknown."""
    end = "client" if outcome.cell.client != REFERENCE else "server"
    if outcome.cell.contestant == REFERENCE:
        end = "client"
    cpu_us = outcome.metrics.get(f"{end}_cpu_us_per_message")
    memory_bytes = outcome.metrics.get(f"{end}_memory_bytes_max")
    if cpu_us is None or memory_bytes is None:
        return None
    connections = workload.total_connections
    if end == "client" and outcome.reference_clients:
        connections = (
            connections * workload.contestant_clients // workload.client_processes
        )
    usage = Usage(
        messages=1,
        cpu_ns=cpu_us.interval.median * 1e3,
        memory_bytes=memory_bytes.interval.median,
        connections=connections,
    )
    return PricedCell(
        contestant=outcome.cell.contestant,
        usage=usage,
        cost=cost(usage, prices, users=USERS, messages_per_user_s=messages_per_user_s),
    )


def _table(priced: Sequence[PricedCell]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("contestant", overflow="fold")
    for title in ("messages/CPU-s", "CPU µs", "MiB", "cores", "GiB", "a month"):
        table.add_column(title, justify="right", no_wrap=True)
    for row in priced:
        metrics = (
            number.rate(row.usage.messages_per_cpu_s),
            amount(row.usage.cpu_us_per_message),
            number.plain(row.usage.memory_bytes_per_connection / 2**20),
            amount(row.cost.cores),
            number.plain(row.cost.memory_gib),
            number.plain(row.cost.total_per_month),
        )
        table.add_row(_text(row.contestant, "bold"), *map(_text, metrics))
    return table


def _left_out(side: Side, workload: str, priced: Sequence[PricedCell]) -> str:
    """Name the contestants without metrics; empty if there are none."""
    shown = {row.contestant for row in priced}
    every = {*side.results.absent, *side.versions}
    names = sorted(every - shown)
    return f"without metrics in {workload}: {', '.join(names)}" if names else ""


def amount(value: float) -> str:
    """Format an amount; below 0.1 it has four decimal places, so that it is not 0."""
    return number.plain(value, 4 if value < 0.1 else None)


def _print_line(console: Console, line: str, style: str = "") -> None:
    if line:
        console.print(_text(line, style))


def _text(line: str, style: str = "") -> Text:
    return Text(without_thin_spaces(line), style)
