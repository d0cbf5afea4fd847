"""Receipts: the cases that a contestant has passed, to leave them out later."""

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from autostrada.contestants.contestant import content_digest
from autostrada.engine.process import find_engine

NAME = "contract.json"
"""File in a contestant's build folder, whose name is the digest of its sources."""

PEERS = "tests/end_to_end/peers"
SUITE = ("tests/contract", PEERS, "kits/vectors.py", "kits/stocks.csv")


class Receipts:
    """Which cases each contestant has passed with this suite and this engine."""

    def __init__(self, root, builder):
        folders = {path: root / path for path in SUITE}
        self._key = content_digest({**folders, "engine": find_engine()})
        self._builder = builder
        self._known = {}

    def passed(self, contestant) -> set[str]:
        """Return the cases that a contestant has passed with its present sources."""
        path = self._path(contestant)
        if path not in self._known:
            self._known[path] = self._read(path)
        return self._known[path]

    def add(self, contestant, cases: Iterable[str]) -> None:
        """Record that a contestant has passed these cases, if it is built."""
        path = self._path(contestant)
        if path.parent.is_dir():
            self.passed(contestant).update(cases)
            document = {"key": self._key, "cases": sorted(self._known[path])}
            path.write_text(json.dumps(document, indent=1), encoding="utf-8")

    def _path(self, contestant) -> Path:
        return self._builder.target(contestant) / NAME

    def _read(self, path: Path) -> set[str]:
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return set()
        return set(document["cases"]) if document["key"] == self._key else set()


class Recorder:
    """Records the cases of a session that have passed; a plugin of pytest."""

    def __init__(self, receipts, contestants):
        self._receipts = receipts
        self._contestants = contestants
        self._passed = defaultdict(set)
        self._failed = set()

    def pytest_runtest_logreport(self, report):
        properties = dict(report.user_properties)
        if "contestant" not in properties:
            return
        case = properties["contestant"], properties["case"]
        if report.when == "call" and report.passed:
            self._passed[case[0]].add(case[1])
        elif not report.passed:
            self._failed.add(case)

    def pytest_sessionfinish(self):
        for name, cases in self._passed.items():
            passed = {case for case in cases if (name, case) not in self._failed}
            self._receipts.add(self._contestants[name], passed)
