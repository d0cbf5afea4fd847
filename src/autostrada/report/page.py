"""One self-contained HTML page of one run."""

import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import jinja2
import vl_convert
from markupsafe import Markup

from autostrada.report import (
    circumstances,
    figures,
    interval,
    number,
    overhead,
    ranking,
    verdict,
)
from autostrada.report.charts.chosen import all_charts
from autostrada.report.charts.theme import Drawing
from autostrada.report.claims import conclusions
from autostrada.report.export import PARQUET, Page, Place, write_files
from autostrada.report.headlines import counted, headlines, published
from autostrada.report.overview import (
    by_ends,
    commands,
    ends,
    gap,
    group_tables,
    not_observed,
    troubles,
)
from autostrada.report.picture import bare_picture
from autostrada.report.published import bottleneck_word, published_tables
from autostrada.report.results import Results, read_results
from autostrada.report.tables import all_tables
from autostrada.report.time_series import SIDE, TimeSeries, read_time_series
from autostrada.stats.claim import Finding
from autostrada.stats.figures import FIGURES
from autostrada.store.reader import StoreReader

PICTURE_PX = 840
"""The width at which an archived page's charts are drawn; a narrow screen scrolls."""

ARCHIVED_BYTES_MAX = 400 * 1024
"""Of an archived page: charts that would make it larger are left out."""

ENDS = {
    "server CPU": ("server_cpu_us_per_message", "user", "system"),
    "client CPU": ("client_cpu_us_per_message", "user", "system"),
    "server memory": ("server_memory_bytes_max",),
    "client memory": ("client_memory_bytes_max",),
    "client reads": ("client_messages_per_wake_up", "client_bytes_per_wake_up"),
}
"""What a ranking shows of each end, by the title of its column."""


def page_of(run_id: int, experiment: str, store: Path) -> Path:
    """Return where the page of a run lies if nobody says otherwise."""
    return store.with_name(f"{experiment}-{run_id}.html")


def write_page(
    store_path: Path, page_path: Path | None = None, run_id: int | None = None
) -> Path:
    """
    Make the page of a run from the store alone; return where it lies.

    Without a number it is the newest run; without a path it lies beside the store, in a
    file of its own.

    Raises:
        UsageError: there is no such store or run, or the page cannot be written.
    """
    with StoreReader.open(store_path) as reader:
        stored = reader.run(run_id)
        path = page_path or page_of(stored.run_id, stored.run.experiment, store_path)
        make_page(reader, Place(path=path), stored.run_id)
    return path


def make_page(reader: StoreReader, place: Place, run_id: int | None = None) -> Page:
    """
    Write the page of a run and what lies beside it; return what was written.

    Without a number it is the newest run.
    """
    run_id = reader.run(run_id).run_id
    results = read_results(reader, run_id)
    made = page(results, read_time_series(reader, run_id), place)
    write_files(made, place, reader.path, run_id)
    return made


def page(results: Results, series: list[TimeSeries], place: Place) -> Page:
    """Return the page of a run; the same run always gives the same page."""
    ranked = ranking.rankings(results)
    charts = all_charts(results, ranked)
    tables = all_tables(results, ranked, series)
    judged = conclusions(results)
    values = {
        "charts": charts,
        "tables": tables,
        "result": results,
        "link": place.link,
        "parquet": PARQUET,
        "is_archived": place.is_archived,
        "calibration": circumstances.calibration_sentence(results.calibration),
        "script": Markup(_text("page.js")),
        "vega": Markup() if place.is_archived else _vega(),
        "notes": (
            gap(results),
            circumstances.machine_note(results.host),
            circumstances.disturbance_caution(results.disturbances),
        ),
        "rankings": ranked,
        "is_race": ranking.is_race(results),
        "ranking_of": ranking,
        "headlines": headlines(results, ranked),
        "conclusions": judged,
        "findings": list(Finding),
        "published": published_tables(results),
        "groups": group_tables(results),
        "troubles": troubles(results),
        "not_observed": not_observed(results),
        "commands": commands(results),
        "usual_confidence": interval.usual_confidence(results.repetitions),
        "series": series,
        "side": SIDE,
        "ends": ends,
        "by_ends": by_ends,
        "bottleneck_word": bottleneck_word,
        "interval": interval,
        "figures": figures,
        "FIGURES": FIGURES,
        "ENDS": ENDS,
        "overheads": overhead.overheads(),
        "circumstances": circumstances,
        "verdict": verdict,
    }
    return Page(
        html=_archived(values) if place.is_archived else render("page.html", **values),
        charts=charts,
        tables=tables,
    )


def render(template: str, **values: object) -> str:
    """Fill in a template of ``templates/``, with the style that all pages share."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("autostrada.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "fact": fact,
        "fact_name": fact_name,
        "day": day,
        "counted": counted,
        "published": published,
    }
    return environment.get_template(template).render(
        number=number, style=Markup(_text("page.css")), **values
    )


def _archived(values: Mapping[str, object]) -> str:
    """Fill in an archived page with as many pictures as it has room for."""
    charts = values["charts"]
    assert isinstance(charts, dict), "charts by name"
    room = ARCHIVED_BYTES_MAX - len(
        render("page.html", **values, pictures={}).encode("utf-8")
    )
    pictures = {}
    for name, drawing in charts.items():
        picture = _picture(drawing)
        needed = len(picture.encode("utf-8")) + len(drawing.title.encode()) + 2_000
        if needed <= room:
            pictures[name] = picture
            room -= needed
    return render("page.html", **values, pictures=pictures)


def _picture(drawing: Drawing) -> Markup:
    return Markup(bare_picture(drawing, PICTURE_PX))


def fact(value: object, key: str) -> str:
    """Write one fact of the host by what its name says it is."""
    if key.endswith("_bytes") and isinstance(value, int | float):
        return number.size(value)
    if key.startswith("is_"):
        return {"true": "yes", "false": "no"}.get(str(value), str(value))
    return str(value)


def day(at: datetime) -> str:
    """Write a date: 21 November 2026."""
    return f"{at.day} {at.strftime('%B %Y')}"


def fact_name(key: str) -> str:
    """Write the name of a fact without what only says how to read its value."""
    return key.removesuffix("_bytes").removeprefix("is_").replace("_", " ")


def _vega() -> Markup:
    """
    Return the JavaScript that draws charts; nothing in it ends a script element.

    Making it takes more CPU time than the rest of a page, so it is stored in the user's
    cache, one file for each version of the library (XDG Base Directory Specification).
    """
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    path = Path(home, "autostrada", f"vega-{version('vl-convert-python')}.js")
    try:
        return Markup(path.read_text(encoding="utf-8"))
    except OSError:
        script = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    assert "</script" not in script
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(f".{os.getpid()}")
        beside.write_text(script, encoding="utf-8")
        beside.replace(path)
    return Markup(script)


def _text(name: str) -> str:
    path = files("autostrada.report").joinpath("templates", name)
    return path.read_text(encoding="utf-8")
