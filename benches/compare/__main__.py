"""
Measures the engine and other programs, and prints a table of metrics and bars.

Each round measures all programs in turn, on the same cores. Medians are
shown with intervals. Nothing is asserted.
"""

import argparse
import resource
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path

from rich.console import Console

from autostrada.engine.process import find_engine
from autostrada.errors import AutostradaError
from autostrada.machine.host import this_host

from .bench import BenchSetup, Sizes
from .crowd import memory_rows, million_rows, tls_rows
from .echo import echo_rows, threads_rows
from .feed import feed_rows
from .generators import generator_rows
from .harness import harness_rows
from .k6 import k6_rows
from .lateness import lateness_rows
from .observe import observe_rows
from .receive import receive_rows
from .same import same_rows
from .table import BenchRow, Rows, Skipped, print_row, print_table

SECTIONS: dict[str, Callable[[BenchSetup], Rows]] = {
    "receive": receive_rows,
    "harness": harness_rows,
    "same": same_rows,
    "echo": echo_rows,
    "k6": k6_rows,
    "threads": threads_rows,
    "lateness": lateness_rows,
    "feed": feed_rows,
    "observe": observe_rows,
    "memory": memory_rows,
    "tls": tls_rows,
    "million": million_rows,
    "generators": generator_rows,
}

ASKED_FOR = ("harness", "same", "generators")
"""Sections measured only if asked for: they take long, or need other programs."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument(
        "--only",
        nargs="+",
        choices=SECTIONS,
        metavar="SECTION",
        help=f"{', '.join(SECTIONS)} (default: all but {', '.join(ASKED_FOR)})",
    )
    parser.add_argument("--engine", type=Path, help="another build of the engine")
    parser.add_argument(
        "--peers",
        type=Path,
        metavar="FOLDER",
        help="measures generators alone, with the load generators of this folder",
    )
    parser.add_argument(
        "--contestants",
        nargs="+",
        default=[],
        metavar="NAME",
        help="contestants in harness (default: all with a bare program) and same",
    )
    for size in fields(Sizes):
        parser.add_argument(
            option(size.name),
            type=type(size.default),
            default=size.default,
            help=f"{size.metadata['meaning']} ({size.default:,})",
        )
    return parser


def option(size: str) -> str:
    """Return the option that sets a size."""
    return f"--{size.replace('_', '-')}"


def command(section: str, arguments: argparse.Namespace) -> str:
    """Return the command that repeats the measurements of one section."""
    options = ["--only", section]
    if arguments.engine is not None:
        options += ["--engine", str(arguments.engine)]
    if section == "generators" and arguments.peers is not None:
        options += ["--peers", str(arguments.peers)]
    if section in {"harness", "same"} and arguments.contestants:
        options += ["--contestants", *arguments.contestants]
    for size in fields(Sizes):
        given = getattr(arguments, size.name)
        if given != size.default:
            options += [option(size.name), str(given)]
    return f'make bench BENCH="{shlex.join(options)}"'


def sections(peers: Path | None) -> list[str]:
    """Return the sections to measure by default."""
    if peers is not None:
        return ["generators"]
    return [each for each in SECTIONS if each not in ASKED_FOR]


def measure(section: str, bench: BenchSetup) -> list[BenchRow | Skipped]:
    """Measure one section, and print each row when it is measured."""
    rows: list[BenchRow | Skipped] = []
    try:
        for row in SECTIONS[section](bench):
            print_row(row, bench.console)
            rows.append(row)
    except AutostradaError as error:
        rows.append(Skipped(what=section, why=f"failed: {error}"))
        print_row(rows[-1], bench.console)
    return rows


def main(argv: Sequence[str]) -> None:
    """Measure the sections and print the table."""
    arguments = parser().parse_args(argv)
    bench = BenchSetup(
        engine=arguments.engine or find_engine(),
        host=this_host(),
        sizes=Sizes(
            **{each.name: getattr(arguments, each.name) for each in fields(Sizes)}
        ),
        console=Console(),
        contestants=arguments.contestants,
        peers=arguments.peers,
    )
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    rows = []
    for section in dict.fromkeys(arguments.only or sections(arguments.peers)):
        shown = command(section, arguments)
        bench.console.print(f"$ {shown}", highlight=False, soft_wrap=True)
        began_s = time.monotonic()
        rows += measure(section, replace(bench, command=shown))
        lasted_s = time.monotonic() - began_s
        bench.console.print(f"measured in {lasted_s:.0f} s\n", highlight=False)
    print_table(rows, bench.console)


if __name__ == "__main__":
    main(sys.argv[1:])
