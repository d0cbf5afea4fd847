"""What every page has: its frame, its style, its scripts and how facts are written."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Protocol

import jinja2
import vl_convert
from markupsafe import Markup

from autostrada.report import number
from autostrada.report.charts.theme import Drawing
from autostrada.report.circumstance.calibration import calibration_sentence
from autostrada.report.collection.summary import counted, published
from autostrada.report.export.picture import bare_picture
from autostrada.report.export.place import PARQUET, Place
from autostrada.report.export.table import Table, table_of
from autostrada.store.reader import Row
from autostrada.store.record import Calibration, ContestantVersion

PICTURE_PX = 840
"""The width at which a kept page's charts are drawn; a narrow screen scrolls them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sheet:
    """A page, and by name what can be downloaded from it."""

    html: str
    charts: Mapping[str, Drawing]
    tables: Mapping[str, Table]


class Result(Protocol):
    """What every page shows of a run."""

    @property
    def versions(self) -> Sequence[ContestantVersion]:
        """What was measured."""

    @property
    def trials(self) -> Sequence[Row]:
        """Every trial, in the order in which they ran."""


def sheet(
    template: str,
    place: Place,
    *,
    charts: Mapping[str, Drawing],
    tables: Mapping[str, Table],
    result: Result,
    calibration: Calibration | None,
    **values: object,
) -> Sheet:
    """
    Return a page made of a template of ``templates/``; it loads nothing from anywhere.

    The template extends ``sheet.html``, which says what values it needs.
    """
    tables = {
        **tables,
        "trials": table_of(result.trials),
        "versions": table_of([asdict(version) for version in result.versions]),
    }
    html = render(
        template,
        charts=charts,
        tables=tables,
        result=result,
        link=place.link,
        parquet=PARQUET,
        is_kept=place.is_kept,
        pictures=_pictures(charts) if place.is_kept else {},
        calibration=calibration_sentence(calibration),
        script=Markup(_text("page.js") + _text("course.js")),
        vega=Markup() if place.is_kept else _vega(),
        **values,
    )
    return Sheet(html=html, charts=charts, tables=tables)


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
        "counted": counted,
        "published": published,
        "day": day,
    }
    return environment.get_template(template).render(
        number=number, style=Markup(_text("page.css")), **values
    )


def _pictures(charts: Mapping[str, Drawing]) -> Mapping[str, Markup]:
    """Return each chart as a picture."""
    return {
        name: Markup(bare_picture(drawing, PICTURE_PX))
        for name, drawing in charts.items()
    }


def fact(value: object, key: str) -> str:
    """Write one fact of the host by what its name says it is."""
    if key.endswith("_bytes") and isinstance(value, int | float):
        return number.size(value)
    if key.startswith("is_"):
        return {"true": "yes", "false": "no"}.get(str(value), str(value))
    return str(value)


def day(at: datetime) -> str:
    """Write a date as people do: 21 November 2026."""
    return f"{at.day} {at.strftime('%B %Y')}"


def fact_name(key: str) -> str:
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
