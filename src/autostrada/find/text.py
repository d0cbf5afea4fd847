"""What ``find`` prints: a line a point, the curve, and the answer."""

from statistics import median

from autostrada.find import Varied
from autostrada.find.points import Ceiling, Point, SearchResult
from autostrada.find.recovery import OverloadRecovery
from autostrada.report.number import confidence, count, plain, size
from autostrada.stats.verdict import UTILIZATION_MIN

CONFIDENCE_MIN = 0.5
"""A lower confidence is not printed."""

_UNITS: dict[Varied, str] = {
    "rate": "messages/s",
    "connections": "connections",
    "pipeline": "messages in flight on each connection",
}
_COLUMNS = (
    ("answered/s", "rate", 1, ""),
    ("achieved", "achieved", 100, "%"),
    ("p50", "p50", 1e3, " ms"),
    ("p99", "p99", 1e3, " ms"),
    ("p99.9", "p99.9", 1e3, " ms"),
    ("errors", "errors", 100, "%"),
    ("server CPU", "server-cpu", 100, "%"),
)
"""Title, metric, factor and unit of each column of the curve."""


def ceiling_line(ceiling: Ceiling) -> str:
    """Return a line about the rate that the server answers at most."""
    loop = (
        "an open loop, as it drops messages" if ceiling.unanswered else "a closed loop"
    )
    return f"ceiling: {plain(ceiling.per_s, 0)} messages/s in {loop}"


def point_line(vary: Varied, point: Point) -> str:
    """Return a line about a point: its value, and whether the objective was met."""
    broken = list(point.broken)
    if not point.is_answered:
        broken.append(
            f"only {plain(point.metrics['rate'], 0)} messages/s were answered"
        )
    verdict = f"broken: {'; '.join(broken)}" if broken else "met"
    doubts = point.repeats + point.is_doubtful
    late = f" (the load generator was late {count(doubts, 'time')})" if doubts else ""
    return f"{vary} {plain(point.value, 0)}: {verdict}{late}"


def curve(result: SearchResult) -> list[str]:
    """Return the lines of a table with a row for each value, in ascending order."""
    rows = [[result.vary, *(title for title, *_ in _COLUMNS), "objective"]]
    for value in sorted({point.value for point in result.points}):
        same = [point for point in result.points if point.value == value]
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


def answer(result: SearchResult) -> list[str]:
    """Return what was found, what broke first, and what else limits the answer."""
    lines = [_edge(result)]
    if broken := result.broken():
        lines.append(f"broke first: {broken[0]}")
    utilization = result.server_thread_cpu
    if utilization is not None and utilization >= UTILIZATION_MIN:
        lines.append(
            f"the server's CPU was the limit: its busiest thread used "
            f"{plain(100 * utilization)}% of a core"
        )
    if result.was_generator_limited:
        lines.append(
            "the load generator was near its own limit, the server may do more: give "
            "it more threads (-t)"
        )
    elif result.is_doubtful:
        lines.append(
            "other programs delayed the load generator, the server may do more: leave "
            "the machine to both"
        )
    if repeats := sum(point.repeats for point in result.points):
        lines.append(
            f"{count(repeats, 'load')} repeated, in which other programs delayed the "
            "load generator"
        )
    if result.ceiling and result.ceiling.unanswered:
        lines.append(
            "the server drops messages: in a closed loop "
            f"{plain(result.ceiling.unanswered, 0)} were never answered"
        )
    if not result.is_complete:
        lines.append("the budget ended before the edge was certain: raise --budget")
    return lines


def _edge(result: SearchResult) -> str:
    """Return between which values the edge lies, as far as it is known."""
    unit = _UNITS[result.vary]
    if result.met is None:
        lowest = min(point.value for point in result.points)
        return f"the objective is broken at {plain(lowest, 0)} {unit} already"
    if result.violated is None:
        return f"at least {plain(result.met, 0)} {unit}: the objective did not break"
    if result.is_lower_bound:
        return f"at least {plain(result.met, 0)} {unit}"
    bounds = f"{plain(result.met, 0)} to {plain(result.violated, 0)}"
    sure = result.confidence or 0
    if sure < CONFIDENCE_MIN:
        certain = "by too few trials to be certain: raise --repeats"
    else:
        certain = f"{confidence(sure)} confidence"
    if result.most_per_s is not None:
        most = f"{plain(result.most_per_s, 0)} {unit}"
        return f"{most}: it answers no more ({bounds}, {certain})"
    return f"{bounds} {unit} ({certain})"


def needed(result: SearchResult, users: int) -> str:
    """Return what so many users need, as far as the loads show."""
    cores = result.needed("server-cpu", users)
    memory = result.needed("server-memory", users)
    if cores is None or memory is None:
        return (
            f"what {plain(users, 0)} users need is not known: fewer than three numbers "
            "of connections were sustained"
        )
    largest = max(point.value for point in result.points if point.is_met)
    return (
        f"{plain(users, 0)} users need {plain(cores.value)} cores "
        f"({plain(cores.low)} to {plain(cores.high)}) and {size(memory.value)} of "
        f"memory ({size(memory.low)} to {size(memory.high)}), if the server grows as "
        f"it did up to {plain(largest, 0)} (95% prediction)"
    )


def recovery_line(recovery: OverloadRecovery) -> str:
    """Return whether the objective was met again after the load was halved."""
    if not recovery.was_broken:
        return "no second of the overload broke a time or the errors of the objective"
    if recovery.after_s is None:
        return (
            f"did not recover: {count(recovery.observed_s, 'second')} after the load "
            "was halved the objective is still broken"
        )
    if recovery.after_s == 0:
        return "recovered within a second after the load was halved"
    return f"recovered {count(recovery.after_s, 'second')} after the load was halved"


def _median(points: list[Point], metric: str, factor: float, unit: str) -> str:
    values = [point.metrics[metric] for point in points if metric in point.metrics]
    return f"{plain(factor * median(values))}{unit}" if values else ""
