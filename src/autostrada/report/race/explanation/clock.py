"""The clock: a client whose library says late that it is open times itself short."""

from statistics import median

from autostrada.report import number
from autostrada.report.race.explanation.candidate import Candidate, shifted
from autostrada.report.race.explanation.trace import Traces
from autostrada.report.race.race import Ranking

TITLE = "The clock of the client"


def clock(ranking: Ranking | None, traces: Traces) -> Candidate:
    """Compare what clients say of their duration with the engine's, in one workload."""
    if ranking is None:
        return _unknown()
    ratios = {}
    late_ms = {}
    for standing, figures in ranking.measured:
        trace = traces.get((ranking.workload.name, standing.contestant))
        if trace and trace.clock_ratio and trace.late_ms is not None:
            ratios[standing.contestant] = (figures.interval.median, trace.clock_ratio)
            late_ms[standing.contestant] = trace.late_ms
    if len(ratios) < 2:
        return _unknown()
    latest = max(ratios, key=lambda name: ratios[name][1])
    return Candidate(
        title=TITLE,
        measured=(
            "The original harness believed the client's own clock, which begins when "
            "its library says that the connection is open; the server has sent since "
            "the handshake.",
            f"In {ranking.workload.name} the engine's time is longer than the client's "
            f"own word by {_ms(median(late_ms.values()))} in the median of "
            f"{number.count(len(ratios), 'client')}. It differs the most of "
            f"{latest}, which would look {number.times(ratios[latest][1])} as fast "
            f"as it is: it leaves out {_ms(late_ms[latest])}.",
        ),
        effects=shifted(
            {name: ns / ratio for name, (ns, ratio) in ratios.items()},
            {name: ns for name, (ns, _) in ratios.items()},
        ),
    )


def _unknown() -> Candidate:
    lacks = "of fewer than two clients both clocks are known"
    return Candidate(title=TITLE, measured=(), effects={}, lacks=lacks)


def _ms(value: float) -> str:
    return f"{number.plain(value)}{number.THIN_SPACE}ms"
