"""
Mutation test of the calibration: breaks the instrument in one way after the other.

Each mutation is built in its own folder. It must make exactly those cases fail that the
engine then measures wrongly: neither cases that the peer client measures, nor an
unrelated case.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from mutations import MUTATIONS, ROOT, Mutation

from autostrada.calibration.fault_cases import FaultTopology
from autostrada.store.reader import StoreReader

SCRATCH = ROOT / ".build" / "mutation"
BUILD_LIMIT_S = 1800
CALIBRATE_LIMIT_S = 1200
ATTEMPTS = 3
"""How often a mutation is tried whose cases were disturbed by other programs."""

QUICKLY = {
    "CARGO_TARGET_DIR": str(SCRATCH / "target"),
    "CARGO_INCREMENTAL": "1",
    "CARGO_PROFILE_RELEASE_LTO": "off",
    "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
}
UNTOUCHED = ("repeat-feed", "close-after-5")
"""Unrelated cases: the first that a mutation does not concern must not fail."""

Outcomes = Mapping[tuple[str, str], set[str]]


def classify(mutation: Mutation, outcomes: Outcomes) -> str:
    """Return ``found``, ``disturbed``, or ``missed`` with the first wrong case."""
    disturbed = False
    for (case, topology), found in outcomes.items():
        is_measured = topology != FaultTopology.PEER_CLIENT or case.startswith("push-")
        must_fail = case in mutation.cases and is_measured
        if must_fail and "disturbed" in found:
            disturbed = True
        elif must_fail != ("fail" in found):
            actual = "did not fail" if must_fail else "failed"
            return f"missed: {case} by the {topology} {actual}"
    return "disturbed" if disturbed else "found"


def calibrate(engine: Path, names: tuple[str, ...]) -> Outcomes:
    """Calibrate an engine with some cases; return the outcomes of each case."""
    store = SCRATCH / "store.duckdb"
    store.unlink(missing_ok=True)
    command = [
        Path(sys.executable).with_name("autostrada"),
        *("calibrate", "--quick", "--engine", engine, "--store", store),
        *(word for name in names for word in ("--only", name)),
    ]
    ended = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=CALIBRATE_LIMIT_S,
        check=False,
        env=os.environ | {"PYTHONPATH": str(SCRATCH / "workspace" / "src")},
    )
    if ended.returncode not in (0, 1, 3) or not store.exists():
        raise SystemExit(f"calibrate did not run: {ended.stderr}")
    outcomes: dict[tuple[str, str], set[str]] = {}
    with StoreReader.open(store) as reader:
        for row in reader.query("SELECT * FROM calibration_reading"):
            key = (row["fault_case"], row["topology"])
            outcomes.setdefault(key, set()).add(row["outcome"])
    return outcomes


def copy_workspace() -> None:
    """Copy both workspaces; unchanged files keep their modification time."""
    listed = subprocess.run(
        [
            "git",
            "ls-files",
            "src",
            "crates",
            "benches",
            "Cargo.*",
            "rust-toolchain.toml",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        write(name, (ROOT / name).read_bytes())


def write(name: str, content: bytes) -> None:
    """Write a file of the copied workspace if its content differs."""
    path = SCRATCH / "workspace" / name
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def build() -> Path:
    """Build the copied workspace; return the path of the engine."""
    subprocess.run(
        ["cargo", "build", "--quiet", "--release", "--package", "autostrada-engine"],
        cwd=SCRATCH / "workspace",
        env=os.environ | QUICKLY,
        timeout=BUILD_LIMIT_S,
        check=True,
    )
    return SCRATCH / "target" / "release" / "autostrada-engine"


def untouched(mutation: Mutation) -> str:
    """Return a case that a mutation does not concern."""
    return next(each for each in UNTOUCHED if each not in mutation.cases)


def main() -> int:
    """Try the mutations named on the command line, or all; return the exit status."""
    chosen = [each for each in MUTATIONS if each.name in (sys.argv[1:] or {each.name})]
    copy_workspace()
    results = []
    for mutation in chosen:
        source = mutation.path.read_text(encoding="utf-8")
        write(mutation.file, mutation.apply(source).encode())
        cases = (*mutation.cases, untouched(mutation))
        result = "disturbed"
        try:
            engine = build()
            for _ in range(ATTEMPTS):
                result = classify(mutation, calibrate(engine, cases))
                if result != "disturbed":
                    break
        finally:
            write(mutation.file, source.encode())
        results.append(result)
        print(f"{mutation.name:<33}{', '.join(mutation.cases)}: {result}", flush=True)
    if any(result.startswith("missed") for result in results):
        return 1
    return 3 if "disturbed" in results else 0


if __name__ == "__main__":
    sys.exit(main())
