"""Shows a running load with a row for each host, and what engines warn of."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext

from rich.console import Console
from rich.live import Live
from rich.table import Table

from autostrada.hosts.cluster import ClusterHost
from autostrada.hosts.load import HostLoad, Progress

_COLUMNS = ("host", "", "connections", "messages/s", "failures")


@contextmanager
def live_progress(*, is_plain: bool) -> Iterator[Progress]:
    """
    Show the progress on stderr: a table in a terminal, else a line a second.

    Each warning of engines is shown once, with its hosts.
    """
    console = Console(stderr=True)
    is_table = console.is_terminal and not is_plain
    known: set[str] = set()

    def write(text: str) -> None:
        console.print(text, soft_wrap=True, highlight=False, markup=False)

    with (
        Live(console=console, auto_refresh=False, transient=True)
        if is_table
        else nullcontext()
    ) as live:

        def show(parts: Mapping[ClusterHost, HostLoad]) -> None:
            for warning, hosts in _warnings(parts).items():
                if warning not in known:
                    known.add(warning)
                    write(f"autostrada: {hosts}: {warning}")
            if live:
                live.update(_table(parts), refresh=True)
            else:
                write(_line(parts))

        yield show


def _warnings(parts: Mapping[ClusterHost, HostLoad]) -> dict[str, str]:
    """Return the hosts of each warning; none before all have checked their plan."""
    hosts: dict[str, list[str]] = {}
    for host, part in parts.items():
        if not (part.is_ready or part.has_ended or host.lost):
            return {}
        for warning in part.warnings:
            hosts.setdefault(warning, []).append(host.name)
    return {
        warning: "all hosts" if len(names) == len(parts) > 1 else ", ".join(names)
        for warning, names in hosts.items()
    }


def _row(host: ClusterHost, part: HostLoad) -> tuple[str, int, int, int]:
    if host.lost:
        phase = "lost"
    elif part.has_ended:
        phase = "done"
    else:
        phase = "running" if part.is_opened else "opening"
    opened = sum(second.opened - second.closed for second in part.seconds)
    failures = sum(second.failures for second in part.seconds)
    messages = part.seconds[-1].messages if part.seconds else 0
    return phase, opened, messages, failures


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
