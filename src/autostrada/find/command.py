"""What ``find`` reads from the command line, its search, and its exit status."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from autostrada.errors import EngineError, UsageError
from autostrada.find import Varied
from autostrada.find.loader import VALUE_MAX
from autostrada.find.points import Point, SearchResult
from autostrada.find.search import EdgeSearch, next_value

_COUNT = re.compile(r"(\d+(?:\.\d+)?)([km]?)(?:/s)?", re.IGNORECASE)
_WATCHED = {"-w", "--watch", "--watch-command"}
_MARGIN_MIN = 0.02
"""At least this much above the ceiling is tried, as a share, so that it shows."""


def count(text: str) -> int:
    """
    Parse a number such as ``250``, ``10k`` or ``10k/s``.

    Raises:
        UsageError: it is not such a number, or less than 1.
    """
    match = _COUNT.fullmatch(text.strip())
    factor = {"": 1, "k": 1_000, "m": 1_000_000}
    value = int(float(match[1]) * factor[match[2].lower()]) if match else 0
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


def above(ceiling_per_s: int, precision: float) -> int:
    """Return a rate above the ceiling, by the precision of the search."""
    return ceiling_per_s + max(1, round(max(precision, _MARGIN_MIN) * ceiling_per_s))


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


def exit_status(result: SearchResult, at_least: int | None) -> int:
    """
    Return the exit status of ``find``.

    Where nothing was met and the load generator may have been the limit, the server may
    not be to blame.
    """
    if result.met is None:
        return 3 if result.is_lower_bound else 4
    if at_least is not None and result.met < at_least:
        return 99
    return 3 if result.is_lower_bound else 0


def find(
    search: EdgeSearch,
    result: SearchResult,
    measure: Callable[[int], Point],
    budget_s: float,
) -> Iterator[SearchResult]:
    """
    Load a server at one value after the other; yield ``result`` after each.

    A ceiling is exceeded if the server takes it: connections may have been too few to
    reach it in a closed loop. Ends when the edge is found, or when the next point would
    exceed the budget.
    """
    begun_s = time.monotonic()
    value = next_value(search, result.outcomes())
    while value is not None:
        result.points.append(_measured(measure, value, result))
        took_s = (time.monotonic() - begun_s) / len(result.points)
        is_over = time.monotonic() - begun_s + took_s > budget_s
        if result.ceiling and result.violated is None and result.met == search.last:
            last = min(2 * search.last, VALUE_MAX)
            search = replace(search, last=last, factor=min(2.0, search.factor))
        value = next_value(search, result.outcomes())
        result.is_complete = value is None
        yield result
        if is_over:
            return


def _measured(
    measure: Callable[[int], Point], value: int, result: SearchResult
) -> Point:
    try:
        return measure(value)
    except EngineError as error:
        if not result.points and not result.ceiling:
            raise
        raise EngineError(
            f"the server answered earlier loads, but not that with {value}: {error}"
        ) from error
