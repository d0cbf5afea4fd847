"""Every kit passes the tests that it has in its own language."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

KITS = Path(__file__).parents[2] / "kits"
LANGUAGES = sorted(path.name for path in KITS.iterdir() if path.is_dir())


def test_the_cases_that_all_kits_share_are_those_that_were_worked_out():
    program = "import vectors; print(vectors.document(), end='')"
    worked_out = subprocess.run(
        [sys.executable, "-c", program], cwd=KITS, capture_output=True, check=True
    )
    kept = (KITS / "vectors.json").read_bytes()
    assert kept == worked_out.stdout, "run python3 kits/vectors.py, and look"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_kit_passes_its_own_tests(language, tmp_path):
    """Its ``kit.toml`` says what it needs, and the commands that test it."""
    kit = tomllib.loads((KITS / language / "kit.toml").read_text())
    if shutil.which(kit["tool"]) is None:
        assert "CI" not in os.environ, f"{kit['tool']} is missing: {kit['install']}"
        pytest.skip(f"{kit['tool']} is missing: {kit['install']}")
    for command in kit["test"]:
        words = [word.format(tmp=tmp_path, python=sys.executable) for word in command]
        ended = subprocess.run(
            words,
            cwd=KITS / language,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
