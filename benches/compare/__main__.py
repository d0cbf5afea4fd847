"""
Measures the engine and other programs, and prints a table of metrics and bars.

Each round measures all programs in turn, on the same cores. Medians are
shown with intervals. Nothing is asserted.
"""

import argparse
import random
import resource
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from autostrada.engine.process import find_engine
from autostrada.errors import AutostradaError
from autostrada.machine.host import this_host

from .bench import BenchSetup
from .crowd import plain_rows, tls_rows
from .echo import echo_rows, threads_rows
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
    "observe": observe_rows,
    "plain": plain_rows,
    "tls": tls_rows,
    "generators": generator_rows,
}

ASKED_FOR = ("harness", "same", "generators")
"""Sections measured only if asked for: they take long, or need other programs."""


def options() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    option = parser.add_argument
    option(
        "--only",
        nargs="+",
        choices=SECTIONS,
        metavar="SECTION",
        help=f"{', '.join(SECTIONS)} (default: all but {', '.join(ASKED_FOR)})",
    )
    option("--engine", type=Path, help="another build of the engine")
    option("--peers", type=Path, help="measures generators alone, of this folder")
    option(
        "--contestants", nargs="+", default=[], help="contestants in harness and same"
    )
    option("--seed", type=int, default=random.getrandbits(32), help="orders in same")
    for name, default, meaning in (
        ("--rounds", 7, "number of rounds"),
        ("--window-s", 2.0, "duration of a measurement of echoes"),
        ("--plain-connections", 50_000, "connections in plain"),
        ("--tls-connections", 100_000, "connections in tls"),
    ):
        option(name, type=type(default), default=default, help=f"{meaning} ({default})")
    return parser


def command(
    section: str, parser: argparse.ArgumentParser, arguments: argparse.Namespace
) -> str:
    """Return the command that repeats the measurements of one section."""
    given = ["--only", section]
    for name, value in vars(arguments).items():
        if name != "only" and value != parser.get_default(name):
            values = value if isinstance(value, list) else [value]
            given += [f"--{name.replace('_', '-')}", *map(str, values)]
    return f'make bench BENCH="{shlex.join(given)}"'


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
    parser = options()
    arguments = parser.parse_args(argv)
    sections = [name for name in SECTIONS if name not in ASKED_FOR]
    if arguments.peers is not None:
        sections = ["generators"]
    given = {name: value for name, value in vars(arguments).items() if name != "only"}
    given["engine"] = arguments.engine or find_engine()
    bench = BenchSetup(host=this_host(), console=Console(), **given)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    rows = []
    for section in dict.fromkeys(arguments.only or sections):
        shown = command(section, parser, arguments)
        bench.console.print(f"$ {shown}", highlight=False, soft_wrap=True)
        began_s = time.monotonic()
        rows += measure(section, replace(bench, command=shown))
        lasted_s = time.monotonic() - began_s
        bench.console.print(f"measured in {lasted_s:.0f} s\n", highlight=False)
    print_table(rows, bench.console)


if __name__ == "__main__":
    main(sys.argv[1:])
