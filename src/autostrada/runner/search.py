"""Whether all was well in a trial of a search: each kind of workload has its rule."""

from dataclasses import replace

from autostrada.experiment.workload import Bots, Feed, Search, Workload
from autostrada.runner.trial.feed.steady import IS_STEADY
from autostrada.stats.objective import IS_WELL, bots_unwellness
from autostrada.store.record import Figure, Measurement, Trial

UNTOLD = "whether it was steady could not be told"
"""Of a feed whose messages have no instant, or of which none came."""


def search_of(workload: Workload) -> Search | None:
    """Return what is searched for with a workload, if anything is."""
    return getattr(workload, "search", None)


def source_of(workload: Workload) -> str | None:
    """Return whose finding is the number of a workload's connections, if anyone's."""
    return getattr(workload, "connections_of", None)


def with_verdict(workload: Workload, trial: Trial) -> Trial:
    """
    Return a trial of a search with the figure that says whether all was well, and why.

    Trials that are no part of a search, and failures, are returned as they are: a
    failure is never well.
    """
    search = search_of(workload)
    if search is None or not isinstance(trial.outcome, Measurement):
        return trial
    judged = _judged(workload, search, trial.outcome)
    value = float(not judged.unwell)
    verdict = Figure(process="client", figure=IS_WELL, value=value)
    return replace(trial, outcome=replace(judged, figures=(*judged.figures, verdict)))


def is_well(trial: Trial) -> bool:
    """Return whether all was well in a trial that has its verdict."""
    return isinstance(trial.outcome, Measurement) and any(
        each.figure == IS_WELL and each.value == 1 for each in trial.outcome.figures
    )


def _judged(
    workload: Workload, search: Search, measurement: Measurement
) -> Measurement:
    """Return a measurement that says why not all was well; a feed's says so itself."""
    if isinstance(workload, Feed):
        is_told = any(each.figure == IS_STEADY for each in measurement.figures)
        return measurement if is_told else replace(measurement, unwell=UNTOLD)
    assert isinstance(workload, Bots), workload.kind
    assert measurement.achieved_share is not None, "bots are an open loop"
    times = [(each.value_ns, each.count) for each in measurement.buckets]
    unwell = bots_unwellness(search, measurement.achieved_share, times)
    return replace(measurement, unwell=unwell)
