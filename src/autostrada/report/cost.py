"""What users cost with each contestant of a run, for a terminal at 80 columns."""

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

USERS = 1_000_000

CONNECTIONS = 1
"""Of a push there is one."""

NOTE = (
    "cores = users × messages/s of each × CPU time a message; GiB = users × memory of "
    "one; a month has 730 hours, in the currency of the prices. The contestants are "
    "clients: this is what it takes to run a million of them, each a process with one "
    "connection, not what a server needs for them. It is a rough figure: messages that "
    "come one by one cost more CPU time than those that were measured, which came as "
    "fast as they were taken; clients that share a process need less memory."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class PricedCell:
    """What users cost with one contestant in one workload."""

    contestant: str
    usage: Usage
    cost: Cost


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What the user wants to know, and what is paid."""

    run: str
    store: Path
    prices: Prices
    messages_per_user_s: float


def print_cost(question: Question, console: Console) -> None:
    """
    Print a row a contestant, the cheapest first, for each workload of a run.

    Raises:
        UsageError: there is no such run, or a price is no number.
    """
    prices = question.prices
    figures = (prices.core_hour, prices.gib_hour, question.messages_per_user_s)
    if not all(isfinite(figure) for figure in figures):
        raise UsageError("prices and messages must be numbers: --core-hour 0.04")
    side = read_side(parse_address(question.run, question.store))
    _say(console, origin(side))
    _say(
        console,
        f"{number.plain(USERS, 0)} users, {question.messages_per_user_s:g} messages/s "
        f"each; {prices.core_hour:g} a core-hour, {prices.gib_hour:g} a GiB-hour",
    )
    for workload in side.results.experiment.workload:
        priced = [
            found
            for (_, point), outcome in side.outcomes.items()
            if point == workload.name
            and (found := price(outcome, prices, question.messages_per_user_s))
        ]
        console.print()
        _say(console, workload.name, "bold")
        console.print(_table(sorted(priced, key=lambda each: each.cost.a_month)))
        _say(console, _left_out(side, workload.name, priced), "red")
    _say(console, NOTE, "dim")


def price(
    outcome: Outcome, prices: Prices, messages_per_user_s: float
) -> PricedCell | None:
    """Return what users cost by the figures of a cell; None where one is not known."""
    end = "client" if outcome.cell.client != REFERENCE else "server"
    if outcome.cell.contestant == REFERENCE:
        end = "client"
    cpu_us = outcome.figures.get(f"{end}_cpu_us_per_message")
    memory_bytes = outcome.figures.get(f"{end}_memory_bytes_max")
    if cpu_us is None or memory_bytes is None:
        return None
    usage = Usage(
        messages=1,
        cpu_ns=cpu_us.interval.median * 1e3,
        memory_bytes=memory_bytes.interval.median,
        connections=CONNECTIONS,
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
    for each in priced:
        figures = (
            number.rate(each.usage.messages_per_cpu_s),
            amount(each.usage.cpu_us_per_message),
            number.plain(each.usage.memory_bytes_per_connection / 2**20),
            amount(each.cost.cores),
            number.plain(each.cost.memory_gib),
            number.plain(each.cost.a_month),
        )
        table.add_row(_text(each.contestant, "bold"), *map(_text, figures))
    return table


def _left_out(side: Side, workload: str, priced: Sequence[PricedCell]) -> str:
    """Name the contestants that have no figures; empty where all have."""
    shown = {each.contestant for each in priced}
    failed = {*side.results.absent, *side.versions}
    names = sorted(failed - shown)
    return f"without figures in {workload}: {', '.join(names)}" if names else ""


def amount(value: float) -> str:
    """Write a figure so that one that is nearly nothing is not shown as nothing."""
    return number.plain(value, 4 if value < 0.1 else None)


def _say(console: Console, line: str, style: str = "") -> None:
    if line:
        console.print(_text(line, style))


def _text(line: str, style: str = "") -> Text:
    return Text(without_thin_spaces(line), style)
