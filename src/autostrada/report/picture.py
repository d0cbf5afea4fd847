"""Rendering of charts as SVG, without a browser or a network."""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from xml.sax.saxutils import escape

import vl_convert

from autostrada.report.charts.theme import LABEL_PX, Drawing, Key

WIDTH_PX = 960
EDGE_PX = 16
FONT = "Arial, Helvetica, Liberation Sans, sans-serif"
"""Fonts of equal width: the one that renders and the one that displays may differ."""

LINE_PX = 20

_LETTER_PX = 0.58 * LABEL_PX
"""Upper estimate of a letter's width, so that a legend wraps before it is cut off."""

_PLACE = re.compile(r'\b(?:d|transform|x|y|x2|y2|width|height)="[^"]*"')
_FRACTION = re.compile(r"\d+\.\d{2,}")

_VARIABLE = re.compile(r"var\((--[a-z0-9-]+)\)")
_SETTING = re.compile(r"(--[a-z0-9-]+):\s*(#[0-9a-f]{6})")

_MARK_PX = 18
_GAP_PX = 20


def bare_picture(drawing: Drawing, width_px: int) -> str:
    """
    Render a chart without title and legend, with colours as CSS variables.

    The SVG is embedded in an HTML page, which defines the variables and shows title and
    legend.
    """
    # Descriptions of single marks would be most of the file; the chart has one.
    config = drawing.spec["config"] | {"aria": False, "font": FONT}
    spec = drawing.spec | {"width": width_px, "config": config}
    svg = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    return _PLACE.sub(lambda match: _FRACTION.sub(_rounded, match[0]), svg)


def whole_picture(drawing: Drawing) -> str:
    """Render a standalone SVG file: title, legend and chart on a light background."""
    width_px = WIDTH_PX - 2 * EDGE_PX
    legend, lines = _legend(drawing.legend, width_px)
    top_px = EDGE_PX + LINE_PX * (1 + lines) + LINE_PX // 2
    chart = bare_picture(drawing, width_px)
    height_px = top_px + _height_px(chart) + EDGE_PX
    placed = chart.replace("<svg ", f'<svg x="{EDGE_PX}" y="{top_px}" ', 1)
    style = f'font-family="{FONT}" font-size="{LABEL_PX}"'
    return in_plain_colours(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH_PX}" '
        f'height="{height_px}" viewBox="0 0 {WIDTH_PX} {height_px}" {style}>\n'
        f"<title>{escape(drawing.title)}</title>\n"
        f'<rect width="100%" height="100%" fill="var(--paper)"/>\n'
        f'<text x="{EDGE_PX}" y="{EDGE_PX + LABEL_PX}" fill="var(--muted)">'
        f"{escape(drawing.title)}</text>\n"
        f'<g transform="translate({EDGE_PX},{EDGE_PX + LINE_PX})">\n{legend}</g>\n'
        f"{placed}\n</svg>\n"
    )


def _rounded(fraction: re.Match[str]) -> str:
    """Round to a tenth of a pixel, which is finer than a screen shows."""
    return f"{float(fraction[0]):.1f}"


def _height_px(svg: str) -> int:
    found = re.search(r'<svg [^>]*?\bheight="(\d+)', svg)
    assert found, "every chart has a height"
    return int(found[1])


def _legend(keys: Sequence[Key], width_px: int) -> tuple[str, int]:
    """Return the entries as SVG, side by side, and the number of lines they take."""
    entries, x_px, line = [], 0.0, 1
    for key in keys:
        entry_px = _MARK_PX + _LETTER_PX * len(key.label)
        if x_px and x_px + entry_px > width_px:
            x_px, line = 0.0, line + 1
        entries.append(
            f'<g transform="translate({x_px:.0f},{LINE_PX * line - 6})">{_mark(key)}'
            f'<text x="{_MARK_PX}" fill="var(--ink)">{escape(key.label)}</text></g>\n'
        )
        x_px += entry_px + _GAP_PX
    return "".join(entries), line if entries else 0


def _mark(key: Key) -> str:
    """Return the symbol of an entry, in the shape of the points it stands for."""
    is_hollow = key.shape in {"ring", "hollow"}
    fill = "none" if is_hollow else key.colour
    look = f'fill="{fill}" stroke="{key.colour}" stroke-width="2"'
    if key.shape == "line":
        return f'<path d="M0,-4h12" {look}/>'
    if key.shape in {"dot", "ring"}:
        return f'<circle cx="6" cy="-4" r="4" {look}/>'
    return f'<path d="M6,-9l5,5l-5,5l-5,-5z" {look}/>'


def in_plain_colours(svg: str) -> str:
    """Replace the page's CSS variables by their values for light mode."""
    return _VARIABLE.sub(lambda match: palette()[match[1]], svg)


@cache
def palette() -> dict[str, str]:
    """Return the light-mode colours of ``page.css`` by variable name."""
    path = files("autostrada.report").joinpath("templates", "page.css")
    light = path.read_text(encoding="utf-8").partition("@media")[0]
    return dict(_SETTING.findall(light))
