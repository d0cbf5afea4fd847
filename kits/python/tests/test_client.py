"""A failure of a client."""

import os
import subprocess
import sys

URL = "ws://127.0.0.1:8008/5"


def test_a_failure_is_one_line():
    code = (
        "from autostrada_kit import Client\n"
        "Client.from_environment().fail(OSError('\\nrefused\\n<html>'))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": os.getcwd(), "URL": URL},
        capture_output=True,
        text=True,
        check=False,
    )
    reason = f"cannot receive from {URL}: refused\n"
    assert (ended.returncode, ended.stderr) == (1, reason)
