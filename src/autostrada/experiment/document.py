"""Documents that a user may write: read strictly, and refused in one line."""

import tomllib
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from autostrada.errors import UsageError


class Document(BaseModel):
    """A frozen document that refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Kind = TypeVar("Kind", bound=Document)


def parse_document(kind: type[Kind], text: str, *, origin: str, hint: str = "") -> Kind:
    """
    Read a document from TOML; ``origin`` is the file's name, for messages.

    Raises:
        UsageError: it is no TOML, or a key is missing, unknown or out of range; the
            hint says where the keys are described.
    """
    try:
        return kind.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{origin}: {error}") from error
    except ValidationError as error:
        raise UsageError(f"{origin}: {first_fault(error)}{hint}") from error


def read_document(path: Path) -> str:
    """
    Return the text of a document that a user may have written.

    Raises:
        UsageError: it cannot be read, or is no text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no UTF-8 text: {error.reason}") from error


def first_fault(error: ValidationError) -> str:
    """Say in one line where the first fault of a document is, and what it is."""
    fault = error.errors()[0]
    place = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        return f"unknown key {place!r}"
    message = fault["msg"].removeprefix("Value error, ")
    return f"{place}: {message[:1].lower()}{message[1:]}"
