"""Peers in Rust, with tungstenite: built once per state of their sources."""

import fcntl
import json
import os
import shutil
import subprocess
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest
from peers.node import NodeServer, read

from autostrada.machine.process import Command, Process

SOURCES = Path(__file__).with_name("tungstenite")
BUILDS = Path(__file__).parents[3] / ".build" / "peers"
BUILD = ["cargo", "build", "--quiet", "--release", "--locked"]


class Rust:
    """The program, in both roles."""

    def __init__(self, program):
        self._program = program

    def talk(self, **settings):
        """Run a client until it ends; return its report."""
        with self._started("talk", settings) as process:
            return read(process)

    @contextmanager
    def serve(self, **settings):
        """Run a server; yield it."""
        with self._started("serve", settings) as process:
            yield NodeServer(process)

    def _started(self, role, settings):
        arguments = [str(self._program), role, json.dumps(settings)]
        return Process(Command(arguments=arguments, folder=self._program.parent))


def built():
    """Return the program; build it unless that was done before."""
    if shutil.which("cargo") is None:
        assert "CI" not in os.environ, "cargo missing: see https://rustup.rs"
        pytest.skip("cargo missing: see https://rustup.rs")
    names = ["Cargo.toml", "Cargo.lock", "src/main.rs", "src/message.rs"]
    content = b"".join((SOURCES / name).read_bytes() for name in names)
    folder = BUILDS / f"tungstenite-{sha256(content).hexdigest()[:16]}"
    program = folder / "tungstenite-peer"
    folder.mkdir(parents=True, exist_ok=True)
    with (BUILDS / "lock-tungstenite").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not program.exists():
            arguments = [*BUILD, "--target-dir", str(folder / "target")]
            subprocess.run(arguments, cwd=SOURCES, check=True, capture_output=True)
            (folder / "target" / "release" / program.name).rename(program)
            shutil.rmtree(folder / "target")
    return Rust(program)
