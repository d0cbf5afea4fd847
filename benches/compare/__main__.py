"""
Measures the engine beside what it is to be compared with, and prints the table.

What is compared is measured in turn, in each round, on the same cores. Medians are
shown with intervals. Nothing is asserted.
"""

import argparse
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from autostrada.engine.process import find_engine
from autostrada.errors import AutostradaError
from autostrada.machine.host import this_host

from .bench import Bench, Sizes
from .crowd import memory_rows, million_rows, tls_rows
from .echo import echo_rows, growth_rows
from .harness import harness_rows
from .k6 import k6_rows
from .lateness import lateness_rows
from .limits import raise_descriptor_limit
from .observe import observe_rows
from .receive import contestant_rows, receive_rows
from .table import Row, Rows, Skipped, print_row, print_table

SECTIONS: dict[str, Callable[[Bench], Rows]] = {
    "receive": receive_rows,
    "contestants": contestant_rows,
    "harness": harness_rows,
    "echo": echo_rows,
    "k6": k6_rows,
    "growth": growth_rows,
    "lateness": lateness_rows,
    "observe": observe_rows,
    "memory": memory_rows,
    "tls": tls_rows,
    "million": million_rows,
}

SIZES: dict[str, tuple[int | float, str]] = {
    "rounds": (7, "how often each is measured"),
    "window-s": (2.0, "how long echoes are counted"),
    "warm-up-s": (0.5, "how long they are exchanged before"),
    "receive-messages": (100_000_000, "received by the engine and by read()"),
    "contestant-messages": (500_000, "received by each contestant"),
    "harness-messages": (1_000_000, "received by contestants and bare programs"),
    "k6-messages": (1_000_000, "received by k6"),
    "growth-connections": (10_000, "beside 100"),
    "growth-rate-per-s": (20_000, "echoes of the open loop on 100 and on many"),
    "plain-connections": (50_000, "idle, to measure their memory"),
    "tls-connections": (100_000, "with an update every two seconds"),
    "tls-ticks": (10, "updates to each of them that count"),
    "crowd-connections": (1_000_000, "with an echo once a minute"),
    "observed-processes": (100, "idle, to be observed"),
    "observed-connections": (10_000, "of one process, to be observed"),
    "observed-window-s": (20.0, "how long these are observed"),
}


def parser() -> argparse.ArgumentParser:
    """Return what the command line may say."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument(
        "--only",
        nargs="+",
        choices=SECTIONS,
        default=list(SECTIONS),
        metavar="SECTION",
        help=", ".join(SECTIONS),
    )
    parser.add_argument("--engine", type=Path, help="another build of the engine")
    parser.add_argument(
        "--contestants",
        nargs="+",
        default=[],
        metavar="NAME",
        help="of harness: only these contestants (all that have a bare program)",
    )
    for name, (size, meaning) in SIZES.items():
        parser.add_argument(
            f"--{name}", type=type(size), default=size, help=f"{meaning} ({size:,})"
        )
    return parser


def command(section: str, arguments: argparse.Namespace) -> str:
    """Return the command that shows the figures of one section."""
    words = ["--only", section]
    if arguments.engine is not None:
        words += ["--engine", str(arguments.engine)]
    if section == "harness" and arguments.contestants:
        words += ["--contestants", *arguments.contestants]
    for name, (size, _) in SIZES.items():
        given = getattr(arguments, name.replace("-", "_"))
        if given != size:
            words += [f"--{name}", str(given)]
    return f'make bench BENCH="{shlex.join(words)}"'


def measure(section: str, bench: Bench) -> list[Row | Skipped]:
    """Measure one section, and print each row as soon as it is there."""
    rows: list[Row | Skipped] = []
    try:
        for row in SECTIONS[section](bench):
            print_row(row, bench.console)
            rows.append(row)
    except AutostradaError as error:
        rows.append(Skipped(what=section, why=f"it failed: {error}"))
        print_row(rows[-1], bench.console)
    return rows


def main(words: Sequence[str]) -> None:
    """Measure and print."""
    arguments = parser().parse_args(words)
    sizes = {name.replace("-", "_") for name in SIZES}
    bench = Bench(
        engine=arguments.engine or find_engine(),
        host=this_host(),
        sizes=Sizes(**{name: getattr(arguments, name) for name in sizes}),
        console=Console(),
        contestants=arguments.contestants,
    )
    raise_descriptor_limit()
    rows = []
    for section in dict.fromkeys(arguments.only):
        shown = command(section, arguments)
        bench.console.print(f"$ {shown}", highlight=False, soft_wrap=True)
        rows += measure(section, replace(bench, command=shown))
        bench.console.print()
    print_table(rows, bench.console)


if __name__ == "__main__":
    main(sys.argv[1:])
