"""Words: lists of them, and how a terminal shows them, without thin spaces."""

import re
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from autostrada.report import number


def say(console: Console, words: str, style: str = "") -> None:
    """Print a paragraph."""
    console.print(text(words, style))


def two_lines(first: str, second: str, style: str = "") -> Text:
    """Return a figure, and below it what is less important."""
    return Text.assemble(text(first, style), "\n", text(second, "dim"))


def listed(words: Sequence[str]) -> str:
    """Write a list as in a sentence."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def text(words: str, style: str = "") -> Text:
    """Make text without thin spaces."""
    return Text(without_thin_spaces(words), style)


def without_thin_spaces(words: str) -> str:
    """Write a comma between thousands, and a plain space before units."""
    separated = re.sub(rf"(?<=\d){number.THIN_SPACE}(?=\d)", ",", words)
    return separated.replace(number.THIN_SPACE, " ")
