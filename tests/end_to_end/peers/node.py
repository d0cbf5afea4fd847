"""Peers in Node, installed once per content and started as processes."""

import base64
import fcntl
import json
import shutil
import subprocess
import time
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from peers.background import LIMIT_S
from peers.tool import tool

from autostrada.machine.process import Command, Process

SOURCES = Path(__file__).with_name("node")
BUILDS = Path(__file__).parents[3] / ".build" / "peers"
INSTALL = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]


class Node:
    """A folder with the programs and their packages."""

    def __init__(self, folder):
        self._folder = folder

    @contextmanager
    def serve(self, program, *, runtime="node", **settings):
        """Run a server; yield it."""
        arguments = [runtime, f"{program}.mjs", json.dumps(settings)]
        with Process(Command(arguments=arguments, folder=self._folder)) as process:
            yield NodeServer(process)


class NodeServer:
    """A server that listens at ``url``."""

    def __init__(self, process):
        self._process = process
        self.url = read(process)["url"]

    def line(self):
        """Return the next line that the server prints unasked."""
        return read(self._process)

    def report(self):
        """Return the report on each connection, when all have ended."""
        self._process.send("report\n")
        return read(self._process)


def read(process):
    line = process.read_line(time.monotonic() + LIMIT_S)
    if line is None:
        status = process.wait(time.monotonic() + LIMIT_S)
        raise AssertionError(f"Node ended with {status}: {process.stderr_tail}")
    return json.loads(line)


def installed():
    """Return the programs in a folder with their packages; install them once."""
    for program in ("node", "npm"):
        tool("nodejs npm", program)
    sources = sorted(each for each in SOURCES.iterdir() if each.is_file())
    content = b"".join(each.name.encode() + each.read_bytes() for each in sources)
    folder = BUILDS / sha256(content).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    with (BUILDS / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        receipt = folder / "installed"
        # Other processes read the programs once they are there, so they stay untouched.
        if not receipt.exists():
            for source in sources:
                shutil.copy2(source, folder)
            subprocess.run(INSTALL, cwd=folder, check=True, capture_output=True)
            receipt.touch()
    return Node(folder)


def described(message):
    """Return a message in a form that JSON can represent."""
    if isinstance(message, str):
        return {"text": message}
    return {"base64": base64.b64encode(message).decode()}
