"""The page of an experiment: what was published beside ours, and why it is so."""

from autostrada.report import interval, number
from autostrada.report.circumstance import disturbance
from autostrada.report.circumstance.machine import machine_note
from autostrada.report.experiment.conclusion import conclusions, headline
from autostrada.report.experiment.overview import (
    by_ends,
    commands,
    ends,
    gap,
    group_tables,
    troubles,
)
from autostrada.report.experiment.published import limit_word, published_tables
from autostrada.report.experiment.results import Results
from autostrada.report.sheet import sheet


def experiment_page(results: Results) -> str:
    """Return the page of a run; the same run always gives the same page."""
    judged = conclusions(results)
    return sheet(
        "experiment.html",
        charts={},
        calibration=results.calibration,
        result=results,
        notes=(
            gap(results),
            machine_note(results.host),
            disturbance.disturbance_caution(results.disturbances),
        ),
        trial_title="messages",
        trial_figure=lambda row: number.plain(row["messages"], 0),
        headline=headline(judged, results),
        conclusions=judged,
        published=published_tables(results),
        groups=group_tables(results),
        troubles=troubles(results),
        commands=commands(results),
        disturbance=disturbance,
        interval=interval,
        usual_confidence=interval.usual_confidence(results.repetitions),
        ends=ends,
        by_ends=by_ends,
        limit_word=limit_word,
    )
