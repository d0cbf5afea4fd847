"""Sweeps: the cells that a curve connects, and the curves that one chart can hold."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.report.charts.theme import SERIES
from autostrada.report.results import Outcome, Results

LINES_MAX = len(SERIES)
"""In one chart: each has a colour of its own."""

OFFERED = "offered_per_s"


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """One cell of a curve."""

    x: float
    outcome: Outcome


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """The cells of a workload, a server and a client, by what was swept."""

    workload: str
    server: str
    client: str
    points: tuple[Point, ...]

    @property
    def names(self) -> tuple[str, str, str]:
        """What it is of; the engine is called so."""
        return self.workload, _called(self.server), _called(self.client)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sweep:
    """Curves over one parameter that belong into one chart."""

    parameter: str
    """What they are over: of a workload, or ``offered_per_s``."""

    others: Mapping[str, float]
    """Parameters that were swept as well and are the same in all."""

    is_searched: bool
    """Whether a search has tried these cells."""

    lines: tuple[Line, ...]

    @property
    def title(self) -> str:
        """What is the same in all of its cells."""
        alike = [each[0] for each in _columns(self.lines) if len({*each}) == 1]
        return ", ".join(
            [*alike, *(f"{key}={self.others[key]:g}" for key in self.others)]
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """What tells each line from the others."""
        differing = [each for each in _columns(self.lines) if len({*each}) > 1]
        if not differing:
            return tuple(" → ".join(line.names[1:]) for line in self.lines)
        return tuple(" · ".join(names) for names in zip(*differing, strict=True))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Group:
    """What lines have in common that may stand in one chart."""

    parameter: str
    others: tuple[tuple[str, float], ...]
    is_searched: bool
    """Whether a search has tried them: then each line has its own values."""


def sweeps(results: Results) -> list[Sweep]:
    """Return what was swept, in charts of no more lines than there are colours."""
    parameters = _swept(results)
    searched = {
        workload.name
        for workload in results.experiment.workload
        if getattr(workload, "search", None)
    }
    found: dict[_Group, dict[tuple[str, str, str], list[Point]]]
    found = defaultdict(lambda: defaultdict(list))
    for cell, outcome in results.outcomes.items():
        workload, values = parsed(cell)
        if parameters.get(workload) in values:
            parameter = parameters[workload]
            group = _Group(
                parameter=parameter,
                others=tuple(each for each in values.items() if each[0] != parameter),
                is_searched=workload in searched,
            )
            point = Point(x=values[parameter], outcome=outcome)
            found[group][workload, cell.server, cell.client].append(point)
    return [sweep for group, of_it in found.items() for sweep in _sweeps(group, of_it)]


def parsed(cell: Cell) -> tuple[str, dict[str, float]]:
    """Return the name of a cell's workload, and its point's parameters."""
    name, *words = cell.workload.split()
    pairs = (word.split("=", 1) for word in words)
    return name, {key: float(value) for key, value in pairs}


def _swept(results: Results) -> dict[str, str]:
    """Return, by workload, the parameter of which most values were tried."""
    values: dict[str, dict[str, set[float]]] = defaultdict(lambda: defaultdict(set))
    for cell in results.outcomes:
        workload, parameters = parsed(cell)
        for key, value in parameters.items():
            values[workload][key].add(value)
    return {
        workload: max(tried, key=lambda key: len(tried[key]))
        for workload, tried in values.items()
        if max(map(len, tried.values()), default=0) > 1
    }


def _sweeps(
    group: _Group, found: Mapping[tuple[str, str, str], Sequence[Point]]
) -> Iterator[Sweep]:
    parameter = group.parameter
    lines = [
        Line(
            workload=workload,
            server=server,
            client=client,
            points=tuple(sorted(points, key=lambda point: point.x)),
        )
        for (workload, server, client), points in found.items()
    ]
    if any(OFFERED in each.outcome.figures for line in lines for each in line.points):
        parameter, lines = OFFERED, [_over_offered(line) for line in lines]
    for few in _uncrowded(lines, [attrgetter("workload"), attrgetter("server")]):
        yield Sweep(
            parameter=parameter,
            others=dict(group.others),
            is_searched=group.is_searched,
            lines=tuple(few),
        )


def _over_offered(line: Line) -> Line:
    """Return the line over what was offered, without what was never measured."""
    points = tuple(
        Point(x=each.outcome.figures[OFFERED].interval.median, outcome=each.outcome)
        for each in line.points
        if OFFERED in each.outcome.figures
    )
    return Line(
        workload=line.workload, server=line.server, client=line.client, points=points
    )


def _uncrowded(
    lines: Sequence[Line], divisions: Sequence[Callable[[Line], str]]
) -> Iterator[Sequence[Line]]:
    """Divide lines until there are few enough, or nothing is left to divide them by."""
    if len(lines) <= LINES_MAX or not divisions:
        yield lines
        return
    divide, *further = divisions
    for name in dict.fromkeys(map(divide, lines)):
        yield from _uncrowded([each for each in lines if divide(each) == name], further)


def _columns(lines: Sequence[Line]) -> list[tuple[str, ...]]:
    return list(zip(*(line.names for line in lines), strict=True))


def _called(name: str) -> str:
    return "engine" if name == REFERENCE else name
