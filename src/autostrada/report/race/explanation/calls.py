"""One system call a frame: a server that makes it sets the pace, and not the client."""

from autostrada.report import number
from autostrada.report.race.explanation.candidate import Candidate, lead, shifted
from autostrada.report.race.explanation.trace import Traces
from autostrada.report.race.race import Ranking
from autostrada.stats.verdict import Limit

TITLE = "One system call a frame"


def calls(many: Ranking | None, one: Ranking | None, traces: Traces) -> Candidate:
    """Compare the clients of a server that writes each frame with one that batches."""
    before, after = _durations(many), _durations(one)
    effects = shifted(after, before)
    if not (many and one and effects):
        lacks = (
            "it needs one workload with many frames a system call and one with one "
            "frame, and two clients in both"
        )
        return Candidate(title=TITLE, measured=(), effects={}, lacks=lacks)
    return Candidate(
        title=TITLE,
        measured=(
            "The original server made a system call for every frame.",
            _spread(many, traces),
            _spread(one, traces),
            _winner(many, before, after),
        ),
        effects=effects,
    )


def _durations(ranking: Ranking | None) -> dict[str, float]:
    return {
        standing.contestant: figures.interval.median
        for standing, figures in (ranking.measured if ranking else ())
    }


def _spread(ranking: Ranking, traces: Traces) -> str:
    measured = ranking.measured
    spread = measured[-1][1].interval.median / measured[0][1].interval.median
    limited = sum(
        figures.verdict.limit is Limit.ENGINE for _, figures in ranking.measured
    )
    known = [
        trace.messages_per_call
        for standing, _ in measured
        if (trace := traces.get((ranking.workload.name, standing.contestant)))
        and trace.messages_per_call
    ]
    handed = (
        f" (at most {number.plain(max(known))} frames a system call)" if known else ""
    )
    return (
        f"In {ranking.workload.name}{handed} the slowest client takes "
        f"{number.times(spread)} as long as the fastest, and the engine was the limit "
        f"for {limited} of {len(measured)}."
    )


def _winner(many: Ranking, before: dict[str, float], after: dict[str, float]) -> str:
    """Say what becomes of the one that is the fastest where many frames come."""
    names = [name for name in before if name in after]
    first = min(names, key=before.__getitem__)
    leads = [lead(first, {each: of[each] for each in names}) for of in (before, after)]
    return (
        f"{first}, the fastest in {many.workload.name}, is {number.times(leads[0])} as "
        f"fast as the median of the others there, and {number.times(leads[1])} where "
        f"each frame comes by itself."
    )
