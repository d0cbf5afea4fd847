"""Every kit passes the tests that it has in its own language."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

KITS = Path(__file__).parents[2] / "kits"

GPP = ["g++", "-std=c++17", "-pthread", "-o", "{tmp}/test"]

# The tool of each language, how to install it, and the commands that test a kit.
TESTS = {
    "cpp": (
        "g++",
        "apt install g++",
        [
            [*GPP, "test_settings.cpp"],
            ["{tmp}/test"],
            [*GPP, "test_receiver.cpp"],
            ["{tmp}/test"],
            [*GPP, "test_exchanger.cpp"],
            ["{tmp}/test"],
        ],
    ),
    "go": (
        "go",
        "see https://go.dev/doc/install",
        [["go", "vet", "./..."], ["go", "test", "./..."]],
    ),
    "javascript": (
        "node",
        "apt install nodejs",
        [["node", "--test"]],
    ),
    "python": (
        "python3",
        "apt install python3",
        [["{python}", "-m", "pytest", "-q", "-p", "no:cacheprovider", "."]],
    ),
    "rust": (
        "cargo",
        "curl https://sh.rustup.rs -sSf | sh",
        [["cargo", "test", "--quiet", "--target-dir", "{tmp}/target"]],
    ),
}


def test_every_kit_is_tested():
    assert sorted(TESTS) == sorted(
        path.name for path in KITS.iterdir() if path.is_dir()
    )


def test_the_cases_that_all_kits_share_are_those_that_were_worked_out():
    program = "import vectors; print(vectors.document(), end='')"
    worked_out = subprocess.run(
        [sys.executable, "-c", program], cwd=KITS, capture_output=True, check=True
    )
    kept = (KITS / "vectors.json").read_bytes()
    assert kept == worked_out.stdout, "run python3 kits/vectors.py, and look"


@pytest.mark.parametrize("language", sorted(TESTS))
def test_a_kit_passes_its_own_tests(language, tmp_path):
    tool, remedy, commands = TESTS[language]
    if shutil.which(tool) is None:
        assert "CI" not in os.environ, f"{tool} is missing: {remedy}"
        pytest.skip(f"{tool} is missing: {remedy}")
    for command in commands:
        words = [word.format(tmp=tmp_path, python=sys.executable) for word in command]
        ended = subprocess.run(
            words, cwd=KITS / language, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
