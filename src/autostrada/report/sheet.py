"""What every page has: its frame, its style, its scripts and how facts are written."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import jinja2
import vl_convert
from markupsafe import Markup

from autostrada.report import number
from autostrada.report.charts.theme import Drawing
from autostrada.report.circumstance.calibration import calibration_sentence
from autostrada.store.record import Calibration


def sheet(
    template: str,
    *,
    charts: Mapping[str, Drawing],
    calibration: Calibration | None,
    **values: object,
) -> str:
    """
    Return a page made of a template of ``templates/``; it loads nothing from anywhere.

    The template extends ``sheet.html``, which says what values it needs.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("autostrada.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"fact": fact, "fact_name": fact_name}
    return environment.get_template(template).render(
        charts=charts,
        number=number,
        calibration=calibration_sentence(calibration),
        style=Markup(_text("page.css")),
        script=Markup(_text("page.js") + _text("course.js")),
        vega=_vega(),
        **values,
    )


def fact(value: object, key: str) -> str:
    """Write one fact of the host by what its name says it is."""
    if key.endswith("_bytes") and isinstance(value, int | float):
        return number.size(value)
    if key.startswith("is_"):
        return {"true": "yes", "false": "no"}.get(str(value), str(value))
    return str(value)


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
