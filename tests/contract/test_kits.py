"""A kit passes the tests that it has in its own language."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import vectors

from autostrada.contestants.kit import read_kits
from autostrada.contestants.requirement import check
from autostrada.errors import NotInstalled

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "kits"
CACHE = ROOT / ".build" / "kits"
KITS = read_kits(FOLDER)


def test_the_shared_test_cases_are_up_to_date():
    stored = (FOLDER / "vectors.json").read_text(encoding="utf-8")
    remedy = "run python3 tests/contract/vectors.py, and look"
    assert stored == vectors.document(), remedy


def test_every_kit_describes_its_language():
    folders = {path.name for path in FOLDER.iterdir() if path.is_dir()}
    assert folders - {"__pycache__"} == set(KITS)


@pytest.mark.parametrize("kit", sorted(name for name in KITS if KITS[name].test))
def test_a_kit_passes_its_own_tests(kit, tmp_path):
    folder = FOLDER / kit
    try:
        check(KITS[kit].requires, folder)
    except NotInstalled as error:
        if "CI" in os.environ:
            raise
        pytest.skip(f"kits/{kit}: {error}")
    named = {"tmp": tmp_path, "kept": CACHE / kit, "python": sys.executable}
    for command in KITS[kit].test:
        ended = subprocess.run(
            [argument.format_map(named) for argument in command],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
