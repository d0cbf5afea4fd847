"""The command line as a process."""

import os
import subprocess
import sys
from pathlib import Path

COMMAND = Path(sys.executable).with_name("autostrada")


def autostrada(*arguments, **environment):
    """Run a command until it ends."""
    return subprocess.run(
        [COMMAND, *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env=os.environ | {"COLUMNS": "200"} | environment,
    )
