"""One self-contained HTML page of one run; it loads nothing from anywhere."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

import jinja2
import vl_convert
from markupsafe import Markup

from autostrada.errors import UsageError
from autostrada.report import disturbance, finding, number, verdict
from autostrada.report.calibration import calibration_sentence
from autostrada.report.charts.published import NOT_MEASURED, published_chart
from autostrada.report.charts.race import race_chart
from autostrada.report.charts.series import series_chart
from autostrada.report.charts.theme import Drawing
from autostrada.report.charts.workloads import workloads_chart
from autostrada.report.course import drawing
from autostrada.report.course.course import Courses, read_courses
from autostrada.report.published import (
    all_sources,
    compared_contestants,
    published_sources,
)
from autostrada.report.race import Race, read_race
from autostrada.stats.verdict import BUSY_SHARE_MIN
from autostrada.store.reader import StoreReader


def write_page(
    store_path: Path, page_path: Path | None = None, run_id: int | None = None
) -> Path:
    """
    Make the page of a run from the store alone; return where it lies.

    Without a number it is the newest run; without a path it lies beside the store.

    Raises:
        UsageError: there is no such store or run, or the page cannot be written.
    """
    page_path = page_path or store_path.with_suffix(".html")
    with StoreReader.open(store_path) as reader:
        race = read_race(reader, run_id)
        html = page(race, read_courses(reader, race))
    try:
        page_path.write_text(html, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot write {page_path}: {error.strerror}; name another file"
        ) from error
    return page_path


def page(race: Race, courses: Courses) -> str:
    """Return the page of a run; the same run always gives the same page."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("autostrada.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"fact": _fact, "fact_name": _fact_name}
    return environment.get_template("page.html").render(
        race=race,
        number=number,
        finding=finding,
        charts=_charts(race),
        courses=courses,
        drawing=drawing,
        disturbance=disturbance,
        verdict=verdict,
        published=published_sources(race.experiment.published),
        sources=all_sources(race),
        compared=list(compared_contestants(race)),
        not_measured=NOT_MEASURED,
        busy_share_min=BUSY_SHARE_MIN,
        calibration=calibration_sentence(race.calibration),
        usual_confidence=finding.usual_confidence(race),
        style=Markup(_text("page.css")),
        script=Markup(_text("page.js") + _text("course.js")),
        vega=_vega(),
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


def _fact(value: object, key: str) -> str:
    """Write one fact of the host by what its name says it is."""
    if key.endswith("_bytes") and isinstance(value, int | float):
        return number.size(value)
    if key.startswith("is_"):
        return {"true": "yes", "false": "no"}.get(str(value), str(value))
    return str(value)


def _fact_name(key: str) -> str:
    """Write the name of a fact without what only says how to read its value."""
    return key.removesuffix("_bytes").removeprefix("is_").replace("_", " ")


@cache
def _vega() -> Markup:
    """Return the JavaScript that draws charts; nothing in it ends a script element."""
    script = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    assert "</script" not in script
    return Markup(script)


def _text(name: str) -> str:
    path = files("autostrada.report").joinpath("templates", name)
    return path.read_text(encoding="utf-8")
