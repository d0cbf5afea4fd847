"""A change report as Markdown for a pull request, with the conclusion first."""

import re
from collections.abc import Iterable
from html import escape

from autostrada.report.compare.change_report import ChangeReport
from autostrada.report.text import without_thin_spaces


def markdown(report: ChangeReport) -> str:
    """Return the report as Markdown; the same metrics always give the same text."""
    # Origins are code, so that GitHub does not link the number of a run to an issue.
    before, after = report.origins
    blocks = [
        f"**{_plain(report.conclusion)}**",
        _items(report.causes),
        _items(line for gate in report.gates for line in gate.lines),
        f"A: `{before}`  \nB: `{after}`",
        _items(report.warnings),
        _table(report),
        _items([*report.unmatched, *report.reasons]),
        f"<sub>{_plain(report.note)}</sub>",
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _table(report: ChangeReport) -> str:
    if not report.rows:
        return ""
    columns = report.labels | report.columns
    texts = {*report.labels, "verdict"}
    marks = [":--" if title in texts else "--:" for title in columns]
    lines = [[*columns], marks, *zip(*columns.values(), strict=True)]
    return "\n".join(f"| {' | '.join(map(_plain, line))} |" for line in lines)


def _items(lines: Iterable[str]) -> str:
    return "\n".join(f"- {_plain(line)}" for line in lines)


def _plain(line: str) -> str:
    """Escape a line, so that it contains no tags, emphasis or column separators."""
    text = escape(without_thin_spaces(line), quote=False)
    return re.sub(r"([*_|`\\])", r"\\\1", text)
