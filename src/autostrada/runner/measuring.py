"""Which trials of an archived run a new run continues: those measured alike."""

import ast
import hashlib
import json
import re
import subprocess
import tarfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

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

CHECKOUT = Path(autostrada.__file__).parents[2]

ENGINE_SOURCES = ("crates", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml")
"""What the engine is built of, as in its ``build.rs``."""

TESTS = re.compile(
    rb"\n#\[cfg\(test\)\]\n"
    rb'(mod tests \{\n.*|#\[path = "tests/\w+\.rs"\]\nmod tests;\n)',
    re.DOTALL,
)
"""The tests of a source file, which end it, or the name of their own file."""

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
    engine_version: str,
) -> dict[Cell, str]:
    """
    Return the cells of an archived run whose trials count no longer, each with why.

    ``experiment``, the ``digests`` of the contestants and the version of the engine are
    those of the new run.
    """
    with StoreReader.open(archive) as reader:
        stored = reader.run()
        versions = reader.contestants(stored.run_id)
        cells = {attempt.cell for attempt in reader.attempts(stored.run_id)}
    before = {version.contestant: version.digest for version in versions}
    host = json.loads(stored.run.host)
    earlier = _parsed(stored.run.definition)
    whole = ""
    if earlier is None or _of_all(earlier) != _of_all(experiment):
        whole = "the experiment has changed"
    elif not _is_same_code(host, engine_version):
        whole = "the code that measures has changed"
    now = _points(experiment)
    points = {
        name
        for name, point in (_points(earlier) if earlier else {}).items()
        if now.get(name) != point
    }
    contestants = {name for name in digests if before.get(name) != digests[name]}

    def reason(cell: Cell) -> str:
        if whole:
            return whole
        if cell.workload in points:
            return "the workload has changed"
        changed = contestants & {cell.server, cell.client} - {REFERENCE}
        return f"{min(changed)} has changed" if changed else ""

    return {cell: why for cell in cells if (why := reason(cell))}


def _is_same_code(host: Mapping[str, Any], engine_version: str) -> bool:
    """Whether a run was measured by this code and this engine, but for their tests."""
    found = host.get("measuring_digest")
    if found == measuring_digest(engine_version):
        return True
    earlier = str(host.get("engine_version"))
    if found != measuring_digest(earlier):
        return False
    code = engine_code_digest(earlier, CHECKOUT)
    return code is not None and code == engine_code_digest(engine_version, CHECKOUT)


def engine_code_digest(engine_version: str, checkout: Path) -> str | None:
    """
    Return a digest of the sources that an engine was built of, without their tests.

    It is ``None`` if they are not known: the version has no commit, or changes that
    were not committed, or the checkout does not have the commit.
    """
    commit = re.search(r"\(([0-9a-f]+)\)$", engine_version)
    if commit is None:
        return None
    command = ["git", "-C", str(checkout), "archive", commit[1], "--", *ENGINE_SOURCES]
    try:
        found = subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    digest = hashlib.sha256()
    with tarfile.open(fileobj=BytesIO(found.stdout)) as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file and "tests" not in Path(member.name).parts:
                code = TESTS.sub(b"", file.read())
                digest.update(f"{member.name} {len(code)} ".encode() + code)
    return digest.hexdigest()[:16]


def _parsed(definition: str) -> Experiment | None:
    """Return the experiment of a run; ``None`` if its keys are not known any more."""
    try:
        return parse_experiment(without_removed_keys(definition), origin="archive")
    except UsageError:
        return None


def _of_all(experiment: Experiment) -> dict[str, Any]:
    return experiment.model_dump(exclude=_OF_RUN | _OF_CELLS | {"workload"})


def _points(experiment: Experiment) -> dict[str, dict[str, Any]]:
    left_out = _OF_CELLS | {"quick", "repetitions_max"}
    points = experiment.points().items()
    return {name: point.model_dump(exclude=left_out) for name, point in points}


def _remove_docstring(node: ast.AST) -> None:
    """Empty a string that is a statement: a docstring of what is before it."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        node.value = ast.Constant("")
