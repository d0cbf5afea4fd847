"""The page of a race: who won, by how much and why; then all that it rests on."""

from collections.abc import Mapping

from autostrada.report import interval, number, verdict
from autostrada.report.charts.published import NOT_MEASURED, published_chart
from autostrada.report.charts.race import race_chart
from autostrada.report.charts.series import series_chart
from autostrada.report.charts.theme import Drawing
from autostrada.report.charts.workloads import workloads_chart
from autostrada.report.circumstance import disturbance
from autostrada.report.circumstance.machine import machine_note
from autostrada.report.course import drawing
from autostrada.report.course.course import Courses
from autostrada.report.experiment.conclusion import conclusions
from autostrada.report.experiment.extract.tables import conclusion_tables
from autostrada.report.experiment.results import Results
from autostrada.report.export.place import Place
from autostrada.report.race import finding
from autostrada.report.race.explanation.explanation import explain
from autostrada.report.race.published import (
    all_sources,
    compared_contestants,
    published_sources,
)
from autostrada.report.race.race import Race
from autostrada.report.race.tables import race_tables
from autostrada.report.sheet import Sheet, sheet
from autostrada.stats.verdict import BUSY_SHARE_MIN


def page(race: Race, courses: Courses, results: Results, place: Place) -> Sheet:
    """Return the page of a race; the same race always gives the same page."""
    return sheet(
        "race.html",
        place,
        charts=_charts(race),
        tables=race_tables(race) | conclusion_tables(results),
        calibration=race.calibration,
        result=race,
        notes=(
            finding.gap(race),
            machine_note(race.host),
            disturbance.disturbance_caution(race.disturbances),
        ),
        trial_title=f"ms for 1{number.THIN_SPACE}M",
        trial_figure=lambda row: number.plain(row["ns_per_message"]),
        race=race,
        explanation=explain(race),
        conclusions=conclusions(results),
        results=results,
        finding=finding,
        courses=courses,
        drawing=drawing,
        disturbance=disturbance,
        verdict=verdict,
        published=published_sources(race.experiment.published),
        sources=all_sources(race),
        compared=list(compared_contestants(race)),
        not_measured=NOT_MEASURED,
        busy_share_min=BUSY_SHARE_MIN,
        interval=interval,
        usual_confidence=interval.usual_confidence(race.repetitions),
    )


def _charts(race: Race) -> Mapping[str, Drawing]:
    """Return the charts that have something to show, by the name of their place."""
    drawn: dict[str, Drawing | None] = {
        "workloads": workloads_chart(race),
        "published": published_chart(race),
    }
    for ranking in race.rankings:
        drawn[f"race-{ranking.workload.name}"] = race_chart(ranking)
        drawn[f"series-{ranking.workload.name}"] = series_chart(race, ranking)
    return {name: chart for name, chart in drawn.items() if chart}
