"""What ``find`` prints: a line a point, the curve, and the answer."""

from statistics import median

from autostrada.report.number import confidence, count, plain, size
from autostrada.stats.found import Found, Point
from autostrada.stats.varied import Varied
from autostrada.stats.verdict import UTILIZATION_MIN

CONFIDENCE_MIN = 0.5
"""A lower confidence is not printed."""

_UNITS: dict[Varied, str] = {
    "rate": "messages/s",
    "connections": "connections",
    "pipeline": "messages in flight on each connection",
}
_COLUMNS = (
    ("answered/s", "rate_per_s", 1, ""),
    ("achieved", "achieved_share", 100, "%"),
    ("p50", "p50_s", 1e3, " ms"),
    ("p99", "p99_s", 1e3, " ms"),
    ("p99.9", "p99_9_s", 1e3, " ms"),
    ("errors", "errors_share", 100, "%"),
    ("server CPU", "server_cpu_utilization", 100, "%"),
)
"""Title, metric, factor and unit of each column of the curve."""


def ceiling_line(ceiling_per_s: int) -> str:
    """Return a line about the rate that was answered in a closed loop."""
    return f"ceiling: {plain(ceiling_per_s, 0)} messages/s in a closed loop"


def point_line(vary: Varied, point: Point) -> str:
    """Return a line about a point: its value, and whether the objective was met."""
    verdict = "met" if point.is_met else f"broken: {'; '.join(point.broken)}"
    return f"{vary} {plain(point.value, 0)}: {verdict}"


def curve(found: Found) -> list[str]:
    """Return the lines of a table with a row for each value, in ascending order."""
    rows = [[found.vary, *(title for title, *_ in _COLUMNS), "objective"]]
    for value in sorted({point.value for point in found.points}):
        same = [point for point in found.points if point.value == value]
        cells = [
            _median(same, metric, factor, unit) for _, metric, factor, unit in _COLUMNS
        ]
        met = sum(point.is_met for point in same)
        rows.append([plain(value, 0), *cells, f"met {met} of {len(same)}"])
    shown = [
        column for column in zip(*rows, strict=True) if any(cell for cell in column[1:])
    ]
    widths = [max(map(len, column)) for column in shown]
    return [
        "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
        for row in zip(*shown, strict=True)
    ]


def answer(found: Found) -> list[str]:
    """Return what was found, what broke first, and what else limits the answer."""
    unit = _UNITS[found.vary]
    if found.met is None:
        lowest = min(point.value for point in found.points)
        lines = [f"the objective is broken at {plain(lowest, 0)} {unit} already"]
    elif found.violated is None:
        lines = [f"at least {plain(found.met, 0)} {unit}: the objective did not break"]
    else:
        bounds = f"{plain(found.met, 0)} to {plain(found.violated, 0)} {unit}"
        sure = found.confidence or 0
        if sure < CONFIDENCE_MIN:
            lines = [f"{bounds}, by too few trials to be certain: raise --repeats"]
        else:
            lines = [f"{bounds} ({confidence(sure)} confidence)"]
    broken = found.broken()
    if broken:
        lines.append(f"broke first: {broken[0]}")
    utilization = found.server_thread_share
    if utilization is not None and utilization >= UTILIZATION_MIN:
        lines.append(
            f"the server's CPU was the limit: its busiest thread used "
            f"{plain(100 * utilization)}% of a core"
        )
    if found.is_lower_bound:
        lines.append(
            "at least that: the load generator was near its own limit, the server may "
            "do more; give it more threads (-t)"
        )
    if not found.is_complete:
        lines.append("the budget ended before the edge was certain: raise --budget")
    return lines


def needed(found: Found, users: int) -> str:
    """Return what so many users need, as far as the loads show."""
    cores = found.needed("server_cpu_utilization", users)
    memory = found.needed("server_memory_bytes", users)
    if cores is None or memory is None:
        return (
            f"what {plain(users, 0)} users need is not known: fewer than three numbers "
            "of connections were sustained"
        )
    largest = max(point.value for point in found.points if point.is_met)
    return (
        f"{plain(users, 0)} users need {plain(cores.value)} cores "
        f"({plain(cores.low)} to {plain(cores.high)}) and {size(memory.value)} of "
        f"memory ({size(memory.low)} to {size(memory.high)}), if the server grows as "
        f"it did up to {plain(largest, 0)} (95% prediction)"
    )


def recovery_line(after_s: int | None, observed_s: int) -> str:
    """Return whether the objective was met again after the load was halved."""
    if after_s is None:
        return (
            f"did not recover: {count(observed_s, 'second')} after the load was halved "
            "the objective is still broken"
        )
    if after_s == 0:
        return "recovered within a second after the load was halved"
    return f"recovered {count(after_s, 'second')} after the load was halved"


def _median(points: list[Point], metric: str, factor: float, unit: str) -> str:
    values = [point.metrics[metric] for point in points if metric in point.metrics]
    return f"{plain(factor * median(values))}{unit}" if values else ""
