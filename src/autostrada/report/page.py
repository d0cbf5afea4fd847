"""One self-contained HTML page of one run."""

import os
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import jinja2
import vl_convert
from markupsafe import Markup

from autostrada.report import (
    circumstances,
    cold,
    interval,
    library,
    metrics,
    number,
    overview,
    ranking_text,
    ranking_view,
    verdict,
)
from autostrada.report.charts.selection import all_charts
from autostrada.report.export import PARQUET, Page, PageLocation, write_files
from autostrada.report.headlines import headlines
from autostrada.report.overhead import overheads
from autostrada.report.parts import parts_of
from autostrada.report.published import published_tables
from autostrada.report.results import Results, read_results
from autostrada.report.server_host import host_rows
from autostrada.report.tables import all_tables
from autostrada.report.time_series import SIDE, TimeSeries, read_time_series
from autostrada.stats.claim import Finding
from autostrada.stats.metrics import METRICS
from autostrada.store.reader import StoreReader


def write_page(
    store_path: Path, page_path: Path | None = None, run_id: int | None = None
) -> Path:
    """
    Write the page of a run from its store and return the page's path.

    Without ``run_id`` it is the page of the newest run; without ``page_path`` it is
    written beside the store.
    """
    with StoreReader.open(store_path) as reader:
        results = read_results(reader, run_id)
        name = f"{results.run.experiment}-{results.run_id}.html"
        path = page_path or store_path.with_name(name)
        make_page(reader, results, PageLocation(path=path))
    return path


def make_page(reader: StoreReader, results: Results, location: PageLocation) -> None:
    """Write the page of a run and its downloads."""
    made = page(results, read_time_series(reader, results.run_id), location)
    write_files(made, location, reader.path, results.run_id)


def page(results: Results, series: list[TimeSeries], location: PageLocation) -> Page:
    """Return the page of a run; the same arguments always give the same page."""
    parts = parts_of(results)
    ranked, evaluated = parts.rankings, parts.conclusions
    compared = published_tables(results)
    charts = all_charts(results, ranked, compared, series, evaluated)
    tables = all_tables(results, ranked, compared, series, evaluated)
    values = {
        "charts": charts,
        "result": results,
        "link": location.link,
        "parquet": PARQUET,
        "parts": parts,
        "rankings": ranked,
        "ranking_of": ranking_text,
        "ranking_view": ranking_view,
        "cold": cold,
        "headlines": headlines(results, parts),
        "conclusions": evaluated,
        "findings": list(Finding),
        "published": compared,
        "hosts": host_rows(results),
        "published_charts": [
            chart for chart in charts if chart.startswith("published")
        ],
        "problems": overview.problems(results),
        "notes": (
            circumstances.missing_note(results.missing),
            circumstances.machine_note(results.host),
            circumstances.disturbance_caution(results.disturbances),
        ),
        "series": series,
        "side": SIDE,
        "overview": overview,
        "interval": interval,
        "metrics": metrics,
        "METRICS": METRICS,
        "overheads": overheads(),
        "circumstances": circumstances,
        "library": library,
        "libraries": library.libraries(results.outcomes, results.versions),
        "verdict": verdict,
    }
    return Page(html=render("page.html", **values), charts=charts, tables=tables)


def render(template: str, **values: object) -> str:
    """Render a template of ``templates/`` with what all pages share."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> jinja2.Environment:
    """Return the environment of all templates, which keeps them compiled."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("autostrada.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "number": number,
        "style": Markup(_text("page.css")),
        "vega": _vega,
        "script": Markup(_text("page.js")),
    }
    environment.filters |= {"fact": fact, "fact_name": fact_name}
    return environment


def fact(value: object, key: str) -> str:
    """Format a fact of the host; its key decides about unit and notation."""
    if "_bytes" in key and isinstance(value, int | float):
        return number.size(value) + ("/s" if key.endswith("_per_s") else "")
    if key.startswith("is_"):
        return {"true": "yes", "false": "no"}.get(str(value), str(value))
    return str(value)


def fact_name(key: str) -> str:
    """Return the name of a fact without its type affixes ``is_`` and ``_bytes``."""
    return key.removesuffix("_bytes").removeprefix("is_").replace("_", " ")


def _vega() -> Markup:
    """
    Return the JavaScript that draws charts, safe to embed in a script element.

    Bundling it takes more CPU time than the rest of a page, so it is stored in the
    user's cache (XDG Base Directory Specification), a file per version of the library.
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
        temporary = path.with_suffix(f".{os.getpid()}")
        temporary.write_text(script, encoding="utf-8")
        temporary.replace(path)
    return Markup(script)


def _text(name: str) -> str:
    path = files("autostrada.report").joinpath("templates", name)
    return path.read_text(encoding="utf-8")
