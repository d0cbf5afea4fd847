"""A failure of a client."""

import os
import subprocess
import sys

import pytest

URL = "ws://127.0.0.1:8008/5"


@pytest.mark.parametrize(
    ("error", "reason"),
    [("OSError('\\nrefused\\n<html>')", "refused"), ("TimeoutError()", "TimeoutError")],
)
def test_a_failure_is_one_line(error, reason):
    code = f"from autostrada_kit import Client; Client.from_environment().fail({error})"
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": os.getcwd(), "URL": URL},
        capture_output=True,
        text=True,
        check=False,
    )
    expected = f"cannot receive from {URL}: {reason}\n"
    assert (ended.returncode, ended.stderr) == (1, expected)
