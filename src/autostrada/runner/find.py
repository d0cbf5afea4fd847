"""
Finds the most that a server of the user takes before an objective breaks.

Each point is a load of the engine. Values increase to the ceiling, the edge is
bisected, and both its sides are tried again.
"""

import csv
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from autostrada.errors import EngineError, UsageError
from autostrada.stats.found import Found, Point
from autostrada.stats.search import EdgeSearch, next_value
from autostrada.stats.varied import Varied

VALUE_MAX = 10_000_000
"""Highest value that is tried where no ceiling is known."""

_OPTION: dict[Varied, str] = {"rate": "-r", "connections": "-c", "pipeline": "-p"}
_UNIT: dict[Varied, str] = {"rate": "/s", "connections": "", "pipeline": ""}
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_CONDITION = re.compile(r"\s*([\w.-]+)\s*(<=|>=|<|>)\s*(\S.*?)\s*")
_COUNT = re.compile(r"(\d+(?:\.\d+)?)([km]?)(?:/s)?", re.IGNORECASE)
_WATCHED = {"-w", "--watch", "--watch-command"}
_DONE, _USAGE, _FAILED = 0, 2, 99
"""Exit statuses of the engine."""

_INTERRUPTED = (130, 143)
"""Those after SIGINT and SIGTERM."""

Measure = Callable[[int], Point]
"""Loads the server at a value."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Loader:
    """Loads the server with the engine; ``options`` are those of ``load``."""

    engine: Path
    options: Sequence[str]
    objective: Sequence[str]
    """Conditions of ``--fail-if``: each is the opposite of a part of the objective."""

    vary: Varied
    step_time: str
    settle: str
    divided: Callable[[Sequence[str]], str] | None = None
    """Loads with these options from several hosts; gives the lines of their engines."""

    def measure(self, value: int) -> Point:
        """
        Load the server at a value.

        Raises:
            UsageError: the engine refuses an option.
            EngineError: nothing was measured.
            SystemExit: the load was interrupted.
        """
        conditions = [
            word for condition in self.objective for word in ("--fail-if", condition)
        ]
        metrics, broken = self._load([*self.varied(value), *conditions])
        return Point(value=value, metrics=metrics, broken=broken)

    def varied(self, value: int) -> list[str]:
        """Return the option that sets what is varied."""
        return [_OPTION[self.vary], f"{value}{_UNIT[self.vary]}"]

    def ceiling_per_s(self) -> int:
        """Load the server in a closed loop; return the rate that it answers."""
        metrics, _ = self._load([])
        return max(1, int(metrics.get("rate_per_s", 0)))

    def _load(self, options: Sequence[str]) -> tuple[dict[str, float], tuple[str, ...]]:
        times = ["-d", self.step_time, "--warm-up", self.settle]
        load = [*self.options, *options, *times]
        merged = ["--merge", "-"] if self.divided else []
        ended = subprocess.run(
            [self.engine, "load", *load, *merged, "--csv", "-"],
            input=self.divided(load) if self.divided else "",
            capture_output=True,
            text=True,
            check=False,
        )
        logs = [line for line in ended.stderr.splitlines() if line.startswith("auto")]
        lines = [line.removeprefix("autostrada-engine: ") for line in logs]
        if ended.returncode == _USAGE:
            raise UsageError(lines[-1] if lines else "the engine refuses the options")
        if ended.returncode in _INTERRUPTED:
            raise SystemExit(ended.returncode)
        if ended.returncode not in (_DONE, _FAILED):
            cause = lines[-1] if lines else f"exit status {ended.returncode}"
            raise EngineError(cause)
        (row,) = csv.DictReader(ended.stdout.splitlines())
        metrics = {name: float(value) for name, value in row.items() if value}
        failed = [line.removeprefix("failed: ") for line in lines if "failed: " in line]
        return metrics, tuple(failed)


def negated(objective: str) -> list[str]:
    """
    Return the conditions under which an objective such as ``p99<50ms`` is broken.

    Raises:
        UsageError: a part is not a comparison.
    """
    conditions = []
    for part in objective.split(","):
        found = _CONDITION.fullmatch(part)
        if found is None:
            raise UsageError(
                f"{part.strip()!r} is not an objective such as 'p99<50ms,errors<0.1%'"
            )
        name, sign, limit = found.groups()
        conditions.append(f"{name} {_NEGATED[sign]} {limit}")
    return conditions


def count(text: str) -> int:
    """
    Parse a number such as ``250``, ``10k`` or ``10k/s``.

    Raises:
        UsageError: it is not such a number, or less than 1.
    """
    found = _COUNT.fullmatch(text.strip())
    factor = {"": 1, "k": 1_000, "m": 1_000_000}
    value = int(float(found[1]) * factor[found[2].lower()]) if found else 0
    if value < 1:
        raise UsageError(f"{text!r} is not a number such as 250, 10k or 10k/s")
    return value


def users(text: str, vary: Varied, options: Sequence[str]) -> int:
    """
    Parse the number of users of ``--size-for``.

    Raises:
        UsageError: it is no number, or the options do not show what users need.
    """
    is_watched = any(option.partition("=")[0] in _WATCHED for option in options)
    if vary != "connections" or not is_watched:
        raise UsageError(
            "--size-for needs --vary connections, and --watch or --watch-command: add "
            "them"
        )
    return count(text)


def search_of(
    vary: Varied,
    first: int | None,
    last: int | None,
    *,
    steps: int,
    precision: float,
    repetitions: int,
) -> EdgeSearch:
    """
    Return the search between two values.

    Without ``first``, a rate is searched from 1 % of ``last`` on, and anything else
    from 1 on. Without ``last``, the search ends where the objective breaks.

    Raises:
        UsageError: the range is empty.
    """
    if first is None:
        first = max(1, last // 100) if vary == "rate" and last else 1
    if last is not None and first > last:
        raise UsageError(f"the range from {first} to {last} is empty: lower --from")
    factor = (last / first) ** (1 / (steps - 1)) if last else 2.0
    return EdgeSearch(
        first=first,
        last=last or VALUE_MAX,
        factor=max(factor, 1.01),
        precision=precision,
        repetitions=repetitions,
    )


def exit_status(found: Found, at_least: int | None) -> int:
    """
    Return the exit status of ``find``.

    Where nothing was met and the load generator may have been the limit, the server may
    not be to blame.
    """
    if found.met is None:
        return 3 if found.is_lower_bound else 4
    if at_least is not None and found.met < at_least:
        return 99
    return 3 if found.is_lower_bound else 0


def find(
    search: EdgeSearch, found: Found, measure: Measure, budget_s: float
) -> Iterator[Found]:
    """
    Load a server at one value after the other; yield ``found`` after each.

    Ends when the edge is found, or when the next point would exceed the budget.
    """
    begun_s = time.monotonic()
    value = next_value(search, found.outcomes())
    while value is not None:
        found.points.append(measure(value))
        took_s = (time.monotonic() - begun_s) / len(found.points)
        is_over = time.monotonic() - begun_s + took_s > budget_s
        value = next_value(search, found.outcomes())
        found.is_complete = value is None
        yield found
        if is_over:
            return
