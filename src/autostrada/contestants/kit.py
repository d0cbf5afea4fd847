"""A kit: what the contestants of a language share, described by its ``kit.toml``."""

from pathlib import Path
from typing import Annotated

from pydantic import Field

from autostrada.contestants.contestant import Command, Requirement
from autostrada.experiment.document import Document, parse_document, read_document


class Kit(Document):
    """What tests a kit, and what the machine must have for that."""

    requires: dict[str, Requirement] = Field(default_factory=dict)
    test: Annotated[tuple[Command, ...], Field(min_length=1)]
    """
    In its words, ``{tmp}`` is an empty folder, ``{kept}`` one that is as it was
    left the time before, and ``{python}`` has pytest.
    """


def read_kits(kits: Path) -> dict[str, Kit]:
    """
    Read the ``kit.toml`` of every folder; return the kits by name, in order.

    Raises:
        UsageError: it is no TOML, or a key is missing or unknown.
    """
    found = {}
    for path in sorted(kits.glob("*/kit.toml")):
        origin = f"kits/{path.parent.name}/kit.toml"
        text = read_document(path)
        found[path.parent.name] = parse_document(Kit, text, origin=origin)
    return found
