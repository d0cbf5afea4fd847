"""Text for terminals, which show no thin spaces, and lists within sentences."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from autostrada.report import number

NAMES_MAX = 8
"""Largest number of names in a sentence of a terminal; the page has all."""


def print_paragraph(console: Console, content: str, style: str = "") -> None:
    """Print a paragraph."""
    console.print(text(content, style))


def two_lines(first: str, second: str, style: str = "") -> Text:
    """Return text of two lines, of which the second one is dimmed and may be empty."""
    if not second:
        return text(first, style)
    return Text.assemble(text(first, style), "\n", text(second, "dim"))


def listed(items: Sequence[str]) -> str:
    """Join items as in a sentence: ``a, b and c``."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def few(names: Sequence[str]) -> str:
    """Join the first ``NAMES_MAX`` names as in a sentence, and count the others."""
    more = [f"{len(names) - NAMES_MAX} more"] if len(names) > NAMES_MAX else []
    return listed([*names[:NAMES_MAX], *more])


def text(content: str, style: str = "") -> Text:
    """Return styled text without thin spaces."""
    return Text(without_thin_spaces(content), style)


def without_thin_spaces(text: str) -> str:
    """Replace the thin spaces before units by spaces."""
    return text.replace(number.THIN_SPACE, " ")
