"""Receipts: the cases that contestants and kits have passed, to leave them out."""

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from autostrada.contestants.contestant import content_digest
from autostrada.engine.process import find_engine

NAME = "contract.json"
"""File in a folder of builds, whose name is the digest of the sources."""

SUITE = (
    "tests/contract",
    "tests/end_to_end/peers",
    "kits/vectors.json",
    "kits/stocks.csv",
)


class Receipts:
    """Which cases were passed with this suite and this engine, by folder of builds."""

    def __init__(self, root: Path) -> None:
        folders = {path: root / path for path in SUITE}
        self._key = content_digest({**folders, "engine": find_engine()})
        self._known: dict[Path, set[str]] = {}

    def passed(self, folder: Path) -> set[str]:
        """Return the cases that the sources of a folder have passed."""
        if folder not in self._known:
            self._known[folder] = self._read(folder / NAME)
        return self._known[folder]

    def add(self, folder: Path, cases: Iterable[str]) -> None:
        """Record that the sources of a folder have passed these cases."""
        known = self.passed(folder)
        known.update(cases)
        folder.mkdir(parents=True, exist_ok=True)
        document = {"key": self._key, "cases": sorted(known)}
        (folder / NAME).write_text(json.dumps(document, indent=1), encoding="utf-8")

    def _read(self, path: Path) -> set[str]:
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return set()
        return set(document["cases"]) if document["key"] == self._key else set()


class Recorder:
    """Records the cases of a session that have passed; a plugin of pytest."""

    def __init__(self, receipts):
        self._receipts = receipts
        self._passed = defaultdict(set)
        self._failed = defaultdict(set)

    def pytest_runtest_logreport(self, report):
        properties = dict(report.user_properties)
        if "receipt" not in properties:
            return
        folder, case = properties["receipt"], properties["case"]
        if not report.passed:
            self._failed[folder].add(case)
        elif report.when == "call":
            self._passed[folder].add(case)

    def pytest_sessionfinish(self):
        for folder, cases in self._passed.items():
            self._receipts.add(Path(folder), cases - self._failed[folder])
