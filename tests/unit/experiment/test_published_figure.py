"""The figures' names are those of the document that explains them."""

import re
from pathlib import Path

from autostrada.experiment.published_figure import FIGURE_NAMES

DOCUMENT = Path(__file__).parents[3] / "docs" / "experiments.md"


def documented_names():
    """Return the names of the table; ``_p50`` stands for the last one ending so."""
    table = DOCUMENT.read_text(encoding="utf-8").split("## Figures")[1]
    names = []
    for row in re.findall(r"^\| (`[^|]+) \|", table, re.M):
        for word in re.findall(r"`([^`]+)`", row):
            names.append(names[-1].rsplit("_", 1)[0] + word if word[0] == "_" else word)
    return names


def test_every_figure_is_explained_and_no_other():
    names = documented_names()
    assert len(names) == len(set(names))
    assert set(names) == FIGURE_NAMES
