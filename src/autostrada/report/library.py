"""What is known of a library besides metrics: settings and conformance."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from autostrada.contestants.conformance import case_ranges
from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.report import number
from autostrada.report.text import few
from autostrada.stats.evidence import EndName
from autostrada.store.record import ContestantVersion

LANGUAGES = {"cpp": "C++", "csharp": "C#", "javascript": "JavaScript"}
"""Names of languages that are not the capitalized one of manifests."""

FAILING = "†"
"""Mark of a library that fails cases of the Autobahn test suite."""

_ROLES: tuple[EndName, ...] = ("server", "client")


@dataclass(frozen=True, kw_only=True)
class Library:
    """A contestant's library in one role."""

    version: ContestantVersion
    role: EndName

    @cached_property
    def settings(self) -> dict[str, str]:
        """Settings that decide a rank, by name; empty if they are not recorded."""
        settings: dict[str, str] = _document(self.version.settings).get(self.role, {})
        return settings

    @cached_property
    def failed_cases(self) -> tuple[str, ...] | None:
        """Cases of the test suite that it fails; ``None`` if it was not tested."""
        cases = _document(self.version.failed_cases).get(self.role)
        return None if cases is None else tuple(cases)

    @property
    def mark(self) -> str:
        """``FAILING`` if it fails cases, and otherwise ``""``."""
        return FAILING if self.failed_cases else ""

    @property
    def delivery(self) -> str:
        """What a client's program holds of a received text; ``""`` if not known."""
        if self.role != "client" or self.version.delivers is None:
            return ""
        validated = "validated" if self.version.validates_utf8 else "not validated"
        is_utf8 = self.version.delivers == "utf-8"
        form = "UTF-8" if is_utf8 else self.version.delivers
        return f"text as {form}, {validated} by the library"

    @property
    def conformance(self) -> str:
        """The outcome of the test suite in words; ``""`` if it was not tested."""
        if self.failed_cases is None:
            return ""
        if not self.failed_cases:
            return "passes the Autobahn test suite"
        cases = number.count(len(self.failed_cases), "case")
        names = case_ranges(self.failed_cases)
        return f"fails {cases} of the Autobahn test suite: {names}"


def language_name(language: str) -> str:
    """Return the name of a language of manifests, as a sentence has it."""
    return LANGUAGES.get(language, language.capitalize())


def libraries_of(cell: Cell, versions: Iterable[ContestantVersion]) -> list[Library]:
    """Return the libraries of both ends of a cell, without the engine."""
    known = {version.contestant: version for version in versions}
    ends = ((role, getattr(cell, role)) for role in _ROLES)
    return [
        Library(version=known[name], role=role)
        for role, name in ends
        if name in known and name != REFERENCE
    ]


def libraries(
    cells: Iterable[Cell], versions: Sequence[ContestantVersion]
) -> list[Library]:
    """Return the libraries of cells once each, by name and role."""
    found = {
        (library.version.contestant, library.role): library
        for cell in cells
        for library in libraries_of(cell, versions)
    }
    return [found[key] for key in sorted(found)]


def setting_names(shown: Iterable[Library]) -> list[str]:
    """Return the names of all settings of libraries, in the order of manifests."""
    return list(dict.fromkeys(name for library in shown for name in library.settings))


def notes(shown: Sequence[Library]) -> Iterator[str]:
    """Yield a sentence that explains the mark, and one about texts not checked."""
    if failing := [library for library in shown if library.failed_cases]:
        names = [
            f"{library.version.contestant} {len(library.failed_cases or ())}"
            for library in failing
        ]
        yield f"{FAILING} fails cases of the Autobahn test suite: {few(names)}."
    unchecked = [
        library.version.contestant
        for library in shown
        if library.role == "client" and library.version.validates_utf8 is False
    ]
    if unchecked:
        yield f"Received texts are not checked to be UTF-8 by {few(unchecked)}."


def _document(text: str | None) -> dict[str, dict[str, str]]:
    document: dict[str, dict[str, str]] = json.loads(text or "{}")
    return document
