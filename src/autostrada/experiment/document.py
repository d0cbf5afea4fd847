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
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{origin}: {error}") from error
    try:
        return kind.model_validate(document)
    except ValidationError as error:
        raise UsageError(f"{origin}: {first_fault(error, document)}{hint}") from error


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


def first_fault(error: ValidationError, document: object = None) -> str:
    """
    Say in one line where the first fault of a document is, and what it is.

    An entry of a list is named by its ``name``, where the document is given.
    """
    fault = error.errors()[0]
    entry, key = _place(fault["loc"], document)
    if fault["type"] == "extra_forbidden":
        return f"{entry}unknown key {key!r}{REMEDIES.get(key, '')}"
    message = fault["msg"].removeprefix("Value error, ")
    if fault["type"] == "union_tag_invalid":
        tag, expected = fault["ctx"]["tag"], fault["ctx"]["expected_tags"]
        key = fault["ctx"]["discriminator"].strip("'")
        message = f"{tag!r} is none of {expected}{REMEDIES.get(tag, '')}"
    message = message[:1].lower() + message[1:]
    return f"{entry}{key}: {message}" if key else f"{entry}{message}"


REMEDIES = {
    "bots": '; write kind = "echo" with every_ms, which is the same open loop',
    "published": "; figures of others are in published/, in a file of the same name",
}
"""Of kinds and keys that files of earlier versions have: what is written instead."""


def _place(loc: tuple[int | str, ...], document: object) -> tuple[str, str]:
    """Return the innermost entry of a list with a name, and the key within it."""
    entry, keys, here, is_entry = "", list[str](), document, True
    for part in loc:
        if is_entry and isinstance(here, dict) and part == here.get("kind"):
            is_entry = False  # what tells of which kind the entry is
            continue
        keys.append(str(part))
        is_entry = isinstance(part, int)
        if isinstance(here, dict):
            here = here.get(str(part))
        elif isinstance(here, list) and isinstance(part, int):
            here = here[part]
            name = here.get("name") if isinstance(here, dict) else None
            if isinstance(name, str):
                entry, keys = f"{'.'.join(keys[:-1])} {name!r}: ", []
    return entry, ".".join(keys)
