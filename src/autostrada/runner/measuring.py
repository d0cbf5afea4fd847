"""Which trials of an archived run a new run continues: those measured alike."""

import ast
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import autostrada
from autostrada.errors import UsageError
from autostrada.experiment.experiment import (
    Experiment,
    parse_experiment,
    without_removed_keys,
)
from autostrada.store.reader import StoreReader
from autostrada.store.record import REFERENCE, Cell

MEASURING = (
    "engine",
    "evidence",
    "machine",
    "workloads",
    *(
        f"runner/{module}.py"
        for module in (
            "conditions",
            "cpu_limit",
            "endpoints",
            "execution",
            "isolation",
            "memory_limit",
            "observer",
            "processes",
            "schedule",
            "servers",
            "topology",
            "trial",
            "turns",
        )
    ),
)
"""The packages and modules whose code may change what is measured, or when."""

_OF_RUN = {
    "title",
    "question",
    "budget_s",
    "rounds_max",
    "repetitions",
    "quick",
    "answer",
}
_OF_CELLS = {"servers", "clients", "omit_servers", "omit_clients", "sweep"}
"""Keys that say which cells there are, not how one is measured."""


def measuring_digest(engine_version: str) -> str:
    """Return a digest of the engine and of the code that measures, without comments."""
    digest = hashlib.sha256(engine_version.encode())
    root = Path(autostrada.__file__).parent
    for name in MEASURING:
        folder = root / name
        for path in sorted(folder.rglob("*.py")) if folder.is_dir() else [folder]:
            code = ast.parse(path.read_bytes())
            for node in ast.walk(code):
                _remove_docstring(node)
            digest.update(f"{path.relative_to(root)} {ast.dump(code)}".encode())
    return digest.hexdigest()[:16]


def superseded(
    archive: Path,
    experiment: Experiment,
    digests: Mapping[str, str],
    measuring: str,
) -> dict[Cell, str]:
    """
    Return the cells of an archived run whose trials count no longer, each with why.

    ``experiment``, the ``digests`` of the contestants and that of the ``measuring``
    code are those of the new run.

    Raises:
        UsageError: the file cannot be read.
    """
    with StoreReader.open(archive) as reader:
        stored = reader.run()
        versions = reader.contestants(stored.run_id)
        cells = {attempt.cell for attempt in reader.attempts(stored.run_id)}
    before = {version.contestant: version.digest for version in versions}
    host = json.loads(stored.run.host)
    changes = _Changes(
        whole=_change_of_all(stored.run.definition, experiment)
        or (
            "the code that measures has changed"
            if host.get("measuring_digest") != measuring
            else ""
        ),
        points=_changed_points(stored.run.definition, experiment),
        contestants={
            name for name, digest in digests.items() if before.get(name) != digest
        },
    )
    return {cell: reason for cell in cells if (reason := changes.reason(cell))}


class _Changes:
    """What has changed since a run."""

    def __init__(self, *, whole: str, points: set[str], contestants: set[str]) -> None:
        self._whole = whole
        self._points = points
        self._contestants = contestants

    def reason(self, cell: Cell) -> str:
        """Return why trials of a cell do not count; ``""`` if they do."""
        if self._whole:
            return self._whole
        if cell.workload in self._points:
            return "the workload has changed"
        changed = self._contestants & {cell.server, cell.client} - {REFERENCE}
        return f"{min(changed)} has changed" if changed else ""


def _parsed(definition: str) -> Experiment | None:
    """Return the experiment of a run; ``None`` if its keys are not known any more."""
    try:
        return parse_experiment(without_removed_keys(definition), origin="archive")
    except UsageError:
        return None


def _change_of_all(definition: str, experiment: Experiment) -> str:
    before = _parsed(definition)
    left_out = _OF_RUN | _OF_CELLS | {"workload"}
    if before is None or before.model_dump(exclude=left_out) != experiment.model_dump(
        exclude=left_out
    ):
        return "the experiment has changed"
    return ""


def _changed_points(definition: str, experiment: Experiment) -> set[str]:
    before = _parsed(definition)
    left_out = _OF_CELLS | {"quick", "repetitions_max"}
    now = experiment.points()
    return {
        name
        for name, point in (before.points() if before else {}).items()
        if name not in now
        or point.model_dump(exclude=left_out) != now[name].model_dump(exclude=left_out)
    }


def _remove_docstring(node: ast.AST) -> None:
    """Empty a string that is a statement: a docstring of what is before it."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        node.value = ast.Constant("")
