"""Shows a running load with a row for each host."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.table import Table

from autostrada.hosts.cluster import ClusterHost
from autostrada.hosts.load import HostLoad, Progress

_COLUMNS = ("host", "", "connections", "messages/s", "failures")


@contextmanager
def shown(*, is_plain: bool) -> Iterator[Progress]:
    """Show the progress on stderr: a table in a terminal, else a line a second."""
    console = Console(stderr=True)
    if is_plain or not console.is_terminal:
        yield lambda parts: console.print(_line(parts), soft_wrap=True, highlight=False)
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield lambda parts: live.update(_table(parts), refresh=True)


def _row(host: ClusterHost, part: HostLoad) -> tuple[str, int, int, int]:
    seconds = part.of("second")
    if host.lost:
        phase = "lost"
    elif part.has_ended:
        phase = "done"
    else:
        phase = "running" if part.of("opened") else "opening"
    opened = sum(second["opened"] - second["closed"] for second in seconds)
    failures = sum(second["failures"] for second in seconds)
    return phase, opened, seconds[-1]["messages"] if seconds else 0, failures


def _table(parts: Mapping[ClusterHost, HostLoad]) -> Table:
    table = Table(*_COLUMNS, box=None)
    for column in table.columns[2:]:
        column.justify = "right"
    for host, part in parts.items():
        phase, *counts = _row(host, part)
        table.add_row(host.name, phase, *(f"{count:,}" for count in counts))
    return table


def _line(parts: Mapping[ClusterHost, HostLoad]) -> str:
    rows = [(host.name, *_row(host, part)) for host, part in parts.items()]
    return "   ".join(
        f"{name} {phase} {messages:,} messages/s"
        + (f" {failures:,} failures" if failures else "")
        for name, phase, _, messages, failures in rows
    )
