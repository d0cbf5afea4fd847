"""
Tests the engine in both roles, case by case, with the Autobahn test suite.

The exit status is 1 if a case fails, or its outcome differs from `expected.json`.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.status import Status

from autostrada.engine.process import find_engine
from autostrada.errors import AutostradaError, UsageError

from .outcome import Outcomes, differences, update
from .roles import COMPRESSED_GROUPS, GROUPS, ROLES, run_role
from .suite import BUILDS, fetch
from .table import print_table


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="make conformance", description=__doc__)
    parser.add_argument("--groups", nargs="+", choices=GROUPS, default=list(GROUPS))
    parser.add_argument("--roles", nargs="+", choices=ROLES, default=list(ROLES))
    parser.add_argument("--engine", type=Path, help="another build of the engine")
    parser.add_argument(
        "--update", action="store_true", help="write the outcomes to expected.json"
    )
    return parser


def groups_of(role: str, groups: Sequence[str]) -> list[str]:
    """Return those groups that have cases for a role."""
    return [
        group for group in groups if role != "server" or group not in COMPRESSED_GROUPS
    ]


def show(status: Status, role: str, case: str) -> None:
    """Show the current case."""
    status.update(f"{role} {case}")


def run_roles(arguments: argparse.Namespace, console: Console) -> bool:
    """
    Run the tests and print the outcomes; return whether all are as expected.

    Raises:
        AutostradaError: the tests cannot be run.
    """
    engine = (arguments.engine or find_engine()).resolve()
    suite = fetch()
    found: dict[str, Outcomes] = {}
    unexpected: list[str] = []
    for role in dict.fromkeys(arguments.roles):
        groups = groups_of(role, arguments.groups)
        if not groups:
            continue
        begun_s = time.monotonic()
        with console.status(role) as status:
            announce = partial(show, status, role)
            reports = BUILDS / "reports" / role.replace(", ", "-")
            found[role] = run_role(role, groups, engine, suite, reports, announce)
        taken_s = time.monotonic() - begun_s
        console.print(f"{role}: {len(found[role])} cases in {taken_s:.0f} s")
        if arguments.update:
            update(found[role], role, groups)
        unexpected += differences(found[role], role, groups)
    print_table(found, console)
    for line in unexpected:
        console.print(line, soft_wrap=True, markup=False)
    has_failed = any(
        outcome.has_failed
        for outcomes in found.values()
        for outcome in outcomes.values()
    )
    return not (unexpected or has_failed)


def main(argv: Sequence[str]) -> int:
    """Run the tests; return the exit status."""
    try:
        return 0 if run_roles(parser().parse_args(argv), Console()) else 1
    except UsageError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    except AutostradaError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
