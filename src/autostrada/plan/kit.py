"""A kit: what the contestants of a language share, described by its ``kit.toml``."""

import tomllib
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from autostrada.errors import UsageError
from autostrada.plan.contestant import Command, Requirement
from autostrada.plan.experiment import Document, first_fault, read_document


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
        try:
            document = tomllib.loads(read_document(path))
            found[path.parent.name] = Kit.model_validate(document)
        except tomllib.TOMLDecodeError as error:
            raise UsageError(f"{origin}: {error}") from error
        except ValidationError as error:
            raise UsageError(f"{origin}: {first_fault(error)}") from error
    return found
