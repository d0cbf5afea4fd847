"""README shows what its commands print."""

import re
import shlex
from pathlib import Path

from command_line import autostrada

README = Path(__file__).parents[2] / "README.md"
SHOWN = re.compile(r"test_readme.py -->\n```console\n\$ (.*)\n((?:.*\n)*?)```\n")


def labels(lines):
    """Return what precedes the values of each line."""
    return {line[:16].strip() for line in lines.splitlines()}


def test_the_lines_of_a_load_are_those_that_it_prints(engine_url):
    command, lines = SHOWN.search(README.read_text(encoding="utf-8")).groups()
    url = "ws://127.0.0.1:8008/echo"
    _, *arguments = shlex.split(command.replace(url, engine_url))
    ended = autostrada(*arguments, "-d", "1s", "--no-save")
    assert labels(lines) <= labels(ended.stdout)
