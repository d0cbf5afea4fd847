"""A page as JSON, and as one HTML file with the application inside."""

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from math import isfinite
from pathlib import Path
from string import Template
from typing import get_args

from autostrada.errors import UsageError
from autostrada.report.pages.blocks import Block, Page, Paragraph, Table

DIGITS = 9
"""Significant digits of a number: the last ones of a fit depend on the processor."""

APPLICATION = ("application.css", "application.js", "parquet.js")
"""The files of the application that pages of a site share; the last one reads data."""

DETAILS = "autostradaDetails"
"""The variable that a file of details sets."""

_BLOCKS = get_args(Block)


def as_json(value: object) -> object:
    """
    Return a part of a page as a JSON value.

    A field that has its default is left out, a block has its type, and a number has
    ``DIGITS`` significant digits; one that is not finite is ``null``.
    """
    if is_dataclass(value):
        document: dict[str, object] = {}
        if isinstance(value, _BLOCKS):
            document["type"] = type(value).__name__
        for field in fields(value):
            found = getattr(value, field.name)
            if found != field.default:
                document[field.name] = as_json(found)
        return document
    if isinstance(value, Mapping):
        return {key: as_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(each) for each in value]
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if isfinite(value) else None
    return value


def html_of(page: Page, root: str | None = None) -> str:
    """
    Return a page as an HTML file, which loads nothing from other places.

    ``root`` is the relative URL of the folder of ``APPLICATION``; without one the
    application is inside of the file. The policy admits no script but the application,
    so that no text of a file or of a program can become one.
    """
    style, script = map(application, APPLICATION[:2])
    policy = f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
    style, script = f"<style>{style}</style>", f"<script>{script}</script>"
    if root is not None:
        policy = "'self' file:"
        style = f'<link rel="stylesheet" href="{root}{APPLICATION[0]}">'
        script = f'<script src="{root}{APPLICATION[1]}"></script>'
    if root is not None or page.events:
        policy += "; connect-src 'self'"
    return Template(application("page.html")).substitute(
        title=escape(page.title),
        heading=escape(page.heading),
        answer=escape(" ".join(_answer(page))),
        policy=policy,
        style=style,
        script=script,
        data=json_of(page).replace("<", "\\u003c"),
    )


def details_file(table: Table) -> str:
    """Return the details of the rows of a table as a script, which a page loads."""
    details = [row.details for row in table.rows]
    text = json.dumps(as_json(details), ensure_ascii=False, separators=(",", ":"))
    return f"globalThis.{DETAILS}={text};\n"


def write_html(page: Page, path: Path, remedy: str) -> None:
    """
    Write a page to a file.

    Raises:
        UsageError: the file cannot be written; it names the remedy.
    """
    try:
        path.write_text(html_of(page), encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot write {error.filename}: {error.strerror}; {remedy}"
        ) from error


def _answer(page: Page) -> list[str]:
    """Return the paragraphs of the answer, for a browser without JavaScript."""
    answer = next((each for each in page.sections if not each.title), None)
    blocks = answer.blocks if answer else ()
    return [each.text for each in blocks if isinstance(each, Paragraph)]


def json_of(page: Page) -> str:
    """Return a page as one line of JSON."""
    return json.dumps(as_json(page), ensure_ascii=False, separators=(",", ":"))


@cache
def application(name: str) -> str:
    """Return a file of the built application."""
    path = files("autostrada.report").joinpath("application", name)
    return path.read_text(encoding="utf-8")
