"""Published charts of lines: their curves, from our values."""

from collections.abc import Iterator

from autostrada.experiment.publication import ChartLine
from autostrada.report.charts.sweep import Curve, CurvePlot, CurvePoint
from autostrada.report.results import Results
from autostrada.stats.metrics import METRICS


def published_line_charts(results: Results) -> Iterator[CurvePlot]:
    """Yield what each published chart of lines shows."""
    for chart in results.publication.chart if results.publication else ():
        metric = METRICS[chart.metric]
        lines = {line.name: _line(line, chart.over, results) for line in chart.lines}
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


def _line(line: ChartLine, parameter: str, results: Results) -> Curve:
    """Return the cells of a published line, ordered by the parameter."""
    points = [
        CurvePoint(x=float(value), outcome=outcome)
        for cell, outcome in results.outcomes.items()
        if (value := line.value(cell, parameter))
    ]
    return Curve(
        workload=line.workload,
        server=line.server,
        client=line.client,
        points=tuple(sorted(points, key=lambda point: point.x)),
    )
