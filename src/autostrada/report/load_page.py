"""The page of a load: its limit, its metrics, and its seconds as charts."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from autostrada.errors import UsageError
from autostrada.report.charts.load import load_charts
from autostrada.report.number import count, plain
from autostrada.report.page import render

MAIN = ("rate", "p50", "p99", "max", "connections", "errors")
"""Names of the metrics that stand first."""


def load_page(document: Mapping[str, Any], at: datetime) -> str:
    """
    Return the page of a result as ``load --json`` writes it.

    ``at`` is when it was measured. The page loads nothing from the network.
    """
    metrics = {metric["name"]: metric for metric in document["metrics"]}
    return render(
        "load.html",
        load=document,
        at=at,
        main=[metrics[name] for name in MAIN if name in metrics],
        headline=headline(document),
        charts=load_charts(document),
    )


def headline(document: Mapping[str, Any]) -> str:
    """Return what went wrong with a load, and what its limit was."""
    failures = document["failures"]
    conditions = document["conditions"]
    failed = sum(condition["failure"] is not None for condition in conditions)
    kinds = [f"{plain(each['count'], 0)} × {each['kind']}" for each in failures]
    parts = [
        _sentence(document["nothing_measured"] or document["incomplete"] or ""),
        f"Failures: {', '.join(kinds)}" if kinds else "",
        f"{failed} of {count(len(conditions), 'condition')} failed" if failed else "",
        f"Limit: {document['limit']}",
    ]
    return " ".join(f"{part}." for part in parts if part)


def write_load_page(document: Mapping[str, Any], at: datetime, path: Path) -> None:
    """
    Write the page of a result to a file.

    Raises:
        UsageError: the file cannot be written.
    """
    try:
        path.write_text(load_page(document, at), encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"--html: {path} cannot be written: {error.strerror}"
        ) from error


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
