"""Curves of sweeps and published charts: the cells they connect, and their plots."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter, itemgetter

from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.experiment.publication import ChartLine
from autostrada.report.charts.theme import SERIES
from autostrada.report.results import Outcome, Results
from autostrada.stats.metrics import METRICS, Metric

LINES_MAX = len(SERIES)
"""Maximum number of lines in a chart, each of which has its own colour."""

OVER = {
    "offered_per_s": "events offered per second",
    "connections": "connections",
    "processes": "client processes",
    "stocks": "stocks per message",
    "every_ms": "milliseconds between messages",
}
"""Titles of swept parameters; any other parameter is shown by its name."""

OFFERED = "offered_per_s"
"""Metric that replaces the swept parameter if the cells have it."""

_Group = tuple[str, tuple[tuple[str, float], ...]]
"""What all lines of a chart have in common: the parameter, and the values of others."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Curve:
    """The cells of a workload, a server and a client, ordered by swept value."""

    workload: str
    server: str
    client: str
    points: tuple[tuple[float, Outcome], ...]
    """The swept value and the outcome of each cell."""

    @property
    def names(self) -> tuple[str, str, str]:
        """Names of workload, server and client; the engine is called ``engine``."""
        return self.workload, _called(self.server), _called(self.client)


@dataclass(frozen=True, kw_only=True, slots=True)
class CurvePlot:
    """What a chart of curves shows: a metric of their cells."""

    metric: Metric
    lines: Mapping[str, Curve]
    """The curves by label."""

    title: str
    description: str
    """Metric, parameter and curves, in words."""

    maximum: str | None = None
    """Metric that is drawn as the theoretical maximum; ``None`` without one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sweep:
    """Curves over one parameter that are drawn in one chart."""

    parameter: str
    """The parameter on the x-axis: one of the workload's, or ``offered_per_s``."""

    others: Mapping[str, float]
    """Values of other swept parameters, which are the same in all cells."""

    lines: tuple[Curve, ...]

    @property
    def title(self) -> str:
        """The names and parameter values that all cells have in common."""
        alike = [column[0] for column in _columns(self.lines) if len({*column}) == 1]
        return ", ".join(
            [*alike, *(f"{key}={self.others[key]:g}" for key in self.others)]
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """For each line, the names in which it differs from the others."""
        differing = [column for column in _columns(self.lines) if len({*column}) > 1]
        if not differing:
            return tuple(" → ".join(line.names[1:]) for line in self.lines)
        return tuple(" · ".join(names) for names in zip(*differing, strict=True))

    def plot(self, metric: Metric) -> CurvePlot:
        """Return what a chart of one metric of the sweep shows."""
        over = OVER.get(self.parameter, self.parameter)
        title = f"{metric.group}: {metric.title}, over {over} ({self.title})"
        if any(outcome.absence for line in self.lines for _, outcome in line.points):
            title += ", × marks failures"
        names = ", ".join(self.labels)
        return CurvePlot(
            metric=metric,
            lines=dict(zip(self.labels, self.lines, strict=True)),
            title=title,
            description=f"{metric.title} over {over}, for {names} ({self.title}).",
        )


def published_plots(results: Results) -> Iterator[CurvePlot]:
    """Yield what each published chart of lines shows."""
    for chart in results.publication.chart if results.publication else ():
        metric = METRICS[chart.metric]
        lines = {
            line.name: _published_line(line, chart.over, results)
            for line in chart.lines
        }
        shown = f"{metric.title}, over {chart.over_title}"
        note = f". Published: {chart.note}" if chart.note else ""
        yield CurvePlot(
            metric=metric,
            lines=lines,
            title=f"{chart.title}: {shown}{note}",
            description=f"{chart.title}: {metric.title} over {chart.over_title}, for "
            f"{', '.join(lines)}.",
            maximum=chart.maximum,
        )


def _published_line(line: ChartLine, parameter: str, results: Results) -> Curve:
    """Return the cells of a published line, ordered by the parameter."""
    points = [
        (float(value), outcome)
        for cell, outcome in results.outcomes.items()
        if (value := line.value(cell, parameter))
    ]
    return Curve(
        workload=line.workload,
        server=line.server,
        client=line.client,
        points=tuple(sorted(points, key=itemgetter(0))),
    )


def sweeps(results: Results) -> list[Sweep]:
    """Return the sweeps of a run, each with at most ``LINES_MAX`` lines if possible."""
    parameters = _swept(results)
    found: dict[_Group, dict[tuple[str, str, str], list[tuple[float, Outcome]]]]
    found = defaultdict(lambda: defaultdict(list))
    for cell, outcome in results.outcomes.items():
        workload, values = parsed(cell)
        if parameters.get(workload) in values:
            parameter = parameters[workload]
            x = values.pop(parameter)
            group = (parameter, tuple(values.items()))
            found[group][workload, cell.server, cell.client].append((x, outcome))
    return [sweep for group, lines in found.items() for sweep in _sweeps(group, lines)]


def parsed(cell: Cell) -> tuple[str, dict[str, float]]:
    """Return the name of a cell's workload, and the parameters of its point."""
    point = cell.point
    return point.workload, {key: float(each) for key, each in point.parameters.items()}


def _swept(results: Results) -> dict[str, str]:
    """Return, for each swept workload, the parameter with the most values."""
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
    group: _Group, found: Mapping[tuple[str, str, str], list[tuple[float, Outcome]]]
) -> Iterator[Sweep]:
    parameter, others = group
    lines = [
        Curve(
            workload=workload,
            server=server,
            client=client,
            points=tuple(sorted(points, key=itemgetter(0))),
        )
        for (workload, server, client), points in found.items()
    ]
    if any(OFFERED in outcome.metrics for line in lines for _, outcome in line.points):
        parameter, lines = OFFERED, [_over_offered(line) for line in lines]
    for few in _uncrowded(lines, [attrgetter("workload"), attrgetter("server")]):
        yield Sweep(parameter=parameter, others=dict(others), lines=tuple(few))


def _over_offered(line: Curve) -> Curve:
    """Return the line over the offered rate, without cells that were not measured."""
    points = tuple(
        (outcome.metrics[OFFERED].interval.median, outcome)
        for _, outcome in line.points
        if OFFERED in outcome.metrics
    )
    return replace(line, points=points)


def _uncrowded(
    lines: Sequence[Curve], divisions: Sequence[Callable[[Curve], str]]
) -> Iterator[Sequence[Curve]]:
    """Divide lines by each criterion in turn, until a chart can hold each part."""
    if len(lines) <= LINES_MAX or not divisions:
        yield lines
        return
    divide, *others = divisions
    for name in dict.fromkeys(map(divide, lines)):
        yield from _uncrowded([line for line in lines if divide(line) == name], others)


def _columns(lines: Sequence[Curve]) -> list[tuple[str, ...]]:
    return list(zip(*(line.names for line in lines), strict=True))


def _called(name: str) -> str:
    return "engine" if name == REFERENCE else name
