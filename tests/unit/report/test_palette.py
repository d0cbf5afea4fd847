"""Colours of charts outside a page."""

from autostrada.report.charts import theme
from autostrada.report.picture import in_plain_colours, palette


def test_every_colour_of_a_chart_has_a_constant_value():
    used = [theme.INK, theme.MUTED, theme.FAINT, theme.PAPER, theme.ACCENT, theme.ALARM]
    for colour in [*used, *theme.SERIES]:
        assert in_plain_colours(colour).startswith("#")


def test_the_light_palette_is_used():
    assert palette()["--paper"] == "#ffffff"


def test_other_text_is_unchanged():
    text = '<path fill="var(--ink)"/> variable'
    assert in_plain_colours(text) == f'<path fill="{palette()["--ink"]}"/> variable'
