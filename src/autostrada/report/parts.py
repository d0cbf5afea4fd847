"""The parts of a report that depend on the kind of its experiment, for all media."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from autostrada.report.claims import conclusions
from autostrada.report.conclusion import Conclusion
from autostrada.report.ranking import Ranking, rankings
from autostrada.report.results import Results

RACE_METHOD = (
    "The engine's server pushes text messages over one plain WebSocket connection on "
    "this machine, without compression unless a workload requires it; the client "
    "library counts them. After the given number of messages the client closes the "
    "connection; in a workload with a duration, the server does. Server and client are "
    "separate processes.",
    "The server's clock measures the time from the first byte sent to the closing "
    "frame received. The client's own clock and count, and the bytes acknowledged by "
    "the kernel, must agree with it; otherwise the trial is a failure.",
)
"""How a race is measured, in sentences."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts:
    """The rankings and conclusions of a run, and which of them are its result."""

    rankings: Sequence[Ranking]
    conclusions: Sequence[Conclusion]

    race: Ranking | None
    """The ranking whose winner is the result; ``None`` if the run is no race."""

    main_rankings: Sequence[Ranking]
    """
    The measured rankings that are the result of the run: in a race, all.

    A run that is not compared with a publication has those in which cells have ranks.
    """

    unfolded: Collection[str]
    """Points whose rankings a page shows without a click."""

    has_unfolded_cells: bool
    """Whether a page shows the first table of all cells without a click."""

    method: Sequence[str] = ()
    """How the workloads are measured, in sentences that only a race needs."""


def parts_of(results: Results) -> Parts:
    """Return the rankings and conclusions of a run, by the kind of its experiment."""
    ranked, evaluated = rankings(results), conclusions(results)
    measured = [ranking for ranking in ranked if ranking.measured]
    if results.experiment.is_race:
        return Parts(
            rankings=ranked,
            conclusions=evaluated,
            race=ranked[0] if ranked else None,
            main_rankings=measured,
            unfolded=[ranking.point for ranking in ranked],
            has_unfolded_cells=False,
            method=RACE_METHOD,
        )
    with_ranks = [
        ranking for ranking in measured if any(one.rank for one in ranking.standings)
    ]
    return Parts(
        rankings=ranked,
        conclusions=evaluated,
        race=None,
        main_rankings=[] if results.publication else with_ranks,
        unfolded=[
            ranking.point
            for ranking in ranked
            if len(ranked) == 1 or ranking.point == ranking.workload.name
        ],
        has_unfolded_cells=True,
    )
