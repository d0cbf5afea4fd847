"""Strict parsing of documents that users write, with one-line error messages."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from autostrada.errors import UsageError


class Document(BaseModel):
    """An immutable document that rejects unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Kind = TypeVar("Kind", bound=Document)


def parse_document(kind: type[Kind], text: str, *, origin: str) -> Kind:
    """Parse a document from TOML; ``origin`` is the file's name for messages."""
    return check_document(kind, load_document(text, origin=origin), origin)


def load_document(text: str, *, origin: str) -> dict[str, Any]:
    """
    Return the tables of a text in TOML, unchecked.

    In a list of tables, one with ``like`` has all keys of the earlier one with that
    ``name`` (or ``title``) that it does not state.

    Raises:
        UsageError: the text is not TOML, or no earlier table has the name.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{origin}: {error}") from error
    for key, entries in document.items():
        if isinstance(entries, list):
            document[key] = list(_completed(key, entries, origin))
    return document


def check_document(
    kind: type[Kind], document: dict[str, Any], origin: str, hint: str = ""
) -> Kind:
    """
    Return the document of a kind that tables describe.

    ``hint`` is appended to messages, and says where the keys are documented.

    Raises:
        UsageError: a key is missing, unknown or out of range.
    """
    try:
        return kind.model_validate(document)
    except ValidationError as error:
        raise UsageError(f"{origin}: {first_fault(error, document)}{hint}") from error


def _completed(key: str, entries: list[Any], origin: str) -> Iterator[Any]:
    """Yield the entries of a list, tables completed by those that they are like."""
    earlier: dict[str, dict[str, Any]] = {}
    for entry in entries:
        if not isinstance(entry, dict):
            yield entry
            continue
        name = str(entry.get("name", entry.get("title")))
        own = {each: value for each, value in entry.items() if each != "like"}
        if "like" in entry and (like := str(entry["like"])) not in earlier:
            raise UsageError(
                f"{origin}: {key} {name!r}: like: no {key} before it is called {like!r}"
            )
        earlier[name] = earlier[like] | own if "like" in entry else own
        yield earlier[name]


def read_document(path: Path) -> str:
    """
    Return the text of a file that a user has written.

    Raises:
        UsageError: the file cannot be read or is not UTF-8 text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: {error.reason}") from error


def first_fault(error: ValidationError, document: object = None) -> str:
    """
    Describe the place and the kind of a document's first fault, in one line.

    If ``document`` is given, an entry of a list is identified by its ``name``.
    """
    fault = error.errors()[0]
    entry, key = _place(fault["loc"], document)
    if fault["type"] == "extra_forbidden":
        return f"{entry}unknown key {key!r}{REMEDIES.get(key, '')}"
    message = fault["msg"].removeprefix("Value error, ")
    if fault["type"] == "union_tag_invalid":
        tag, expected = fault["ctx"]["tag"], fault["ctx"]["expected_tags"]
        key = fault["ctx"]["discriminator"].strip("'")
        message = f"{tag!r} is not one of {expected}{REMEDIES.get(tag, '')}"
    message = message[:1].lower() + message[1:]
    return f"{entry}{key}: {message}" if key else f"{entry}{message}"


REMEDIES = {
    "bots": '; write kind = "echo" with every_ms, which is the same open loop',
    "stand_ins": "; list each system of the publication as [[system]]",
    "warm_ups": "; omit it: a trial has a warm-up of its own, warm_up_s",
    "published": "; published values are in published/, in a file of the same name",
}
"""Remedies for kinds and keys that only earlier versions support."""


def _place(loc: tuple[int | str, ...], document: object) -> tuple[str, str]:
    """Return the innermost named entry of a list (or ``""``), and the key within it."""
    entry, keys, here, is_entry = "", list[str](), document, True
    for part in loc:
        if is_entry and isinstance(here, dict) and part == here.get("kind"):
            is_entry = False  # pydantic's tag of the union, not a key
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
