"""
Tries the engine in both roles, case by case, against the Autobahn test suite.

It is an error if a case fails, or goes otherwise than `expected.json` says.
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
from .roles import COMPRESSED_GROUPS, GROUPS, ROLES, try_role
from .suite import BUILDS, fetch
from .table import print_table


def parser() -> argparse.ArgumentParser:
    """Return what the command line may say."""
    parser = argparse.ArgumentParser(prog="make conformance", description=__doc__)
    parser.add_argument("--groups", nargs="+", choices=GROUPS, default=list(GROUPS))
    parser.add_argument("--roles", nargs="+", choices=ROLES, default=list(ROLES))
    parser.add_argument("--engine", type=Path, help="another build of the engine")
    parser.add_argument(
        "--update", action="store_true", help="expect from here on what is found"
    )
    return parser


def groups_of(role: str, groups: Sequence[str]) -> list[str]:
    """Return those of the groups that try something in a role."""
    return [
        group for group in groups if role != "server" or group not in COMPRESSED_GROUPS
    ]


def show(status: Status, role: str, case: str) -> None:
    """Show which case is tried."""
    status.update(f"{role} {case}")


def conform(arguments: argparse.Namespace, console: Console) -> bool:
    """
    Try what is asked for, print what came of it; return whether it is as expected.

    Raises:
        AutostradaError: it could not be tried.
    """
    engine = (arguments.engine or find_engine()).resolve()
    suite = fetch()
    found: dict[str, Outcomes] = {}
    complaints: list[str] = []
    for role in dict.fromkeys(arguments.roles):
        groups = groups_of(role, arguments.groups)
        if not groups:
            continue
        begun_s = time.monotonic()
        with console.status(role) as status:
            tell = partial(show, status, role)
            reports = BUILDS / "reports" / role.replace(", ", "-")
            found[role] = try_role(role, groups, engine, suite, reports, tell)
        taken_s = time.monotonic() - begun_s
        console.print(f"{role}: {len(found[role])} cases in {taken_s:.0f} s")
        if arguments.update:
            update(found[role], role, groups)
        complaints += differences(found[role], role, groups)
    print_table(found, console)
    for complaint in complaints:
        console.print(complaint, soft_wrap=True, markup=False)
    has_failed = any(
        outcome.has_failed
        for outcomes in found.values()
        for outcome in outcomes.values()
    )
    return not (complaints or has_failed)


def main(words: Sequence[str]) -> int:
    """Try it; return the exit status."""
    try:
        return 0 if conform(parser().parse_args(words), Console()) else 1
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
