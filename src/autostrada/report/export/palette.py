"""The page's colours as plain ones, for where there is no page around a chart."""

import re
from functools import cache
from importlib.resources import files

_VARIABLE = re.compile(r"var\((--[a-z0-9-]+)\)")
_SETTING = re.compile(r"(--[a-z0-9-]+):\s*(#[0-9a-f]{6})")


def in_plain_colours(svg: str) -> str:
    """Replace the page's variables by what they are on a light page."""
    return _VARIABLE.sub(lambda match: palette()[match[1]], svg)


@cache
def palette() -> dict[str, str]:
    """Return the light colours of ``page.css`` by the names of their variables."""
    path = files("autostrada.report").joinpath("templates", "page.css")
    light = path.read_text(encoding="utf-8").partition("@media")[0]
    return dict(_SETTING.findall(light))
