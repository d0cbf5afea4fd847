"""
The engine as a process, in both roles: plans are its input, lines its output.

Each line is also validated by its model, which rejects unknown keys.
"""

import json
import os
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

from peers.background import LIMIT_S

from autostrada.engine import messages
from autostrada.engine.process import find_engine
from autostrada.machine.process import Command, Process

INTERRUPTED = 130
LINES = {
    "load": {"second": messages.LoadSecond, "result": messages.LoadResult},
    "serve": {"second": messages.Second, "result": messages.ServeResult},
}


def plan_of(keys):
    """Return a plan as JSON."""
    return json.dumps({"format": 2, **keys})


def read_line(role, text):
    """Return a line as parsed JSON."""
    line = json.loads(text)
    model = LINES[role].get(line["event"], messages.Ready)
    model.model_validate_json(text)
    return line


def load(**plan):
    """Run a client until it ends; return its result."""
    ended = subprocess.run(
        [find_engine(), "load", "--plan", "-"],
        input=plan_of(plan),
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    lines = [read_line("load", line) for line in ended.stdout.splitlines()]
    assert (lines[0]["event"], lines[-1]["event"]) == ("ready", "result")
    return lines[-1]


def load_by_options(*options):
    """Run a client with options instead of a plan until it ends; return its result."""
    ended = subprocess.run(
        [find_engine(), "load", *options, "--json", "-"],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def load_until(is_enough, **plan):
    """Run a client until its seconds meet a condition; return its result."""
    seconds = []
    with running("load", **plan) as engine:
        while not is_enough(seconds):
            seconds.append(engine.line())
        os.kill(engine.pid, signal.SIGINT)
        result = engine.result()
        assert engine.wait() == INTERRUPTED
    return result


class Engine:
    """A running engine; its address is ``url``."""

    def __init__(self, process, role):
        self._process = process
        self._role = role
        self.pid = process.pid
        self.url = self.line()["url"]

    def line(self):
        """Return the engine's next line."""
        line = self._process.read_line(time.monotonic() + LIMIT_S)
        if line is None:
            self.wait()
            raise AssertionError(f"engine ended: {self._process.stderr_tail}")
        return read_line(self._role, line)

    def result(self):
        """Return the next result; skip the seconds before it."""
        while (line := self.line())["event"] != "result":
            assert line["event"] == "second"
        return line

    def wait(self):
        """Return the exit status."""
        return self._process.wait(time.monotonic() + LIMIT_S)


@contextmanager
def running(role, **plan):
    """Run an engine with a plan; yield it when it is ready."""
    arguments = {"load": ["load", "--plan", "-"], "serve": ["serve", "--plan"]}[role]
    command = Command(arguments=[str(find_engine()), *arguments], folder=Path())
    with Process(command) as process:
        process.send(plan_of(plan) + "\n")
        yield Engine(process, role)


def serving(**plan):
    """Run a server on a free port."""
    return running(
        "serve", **{"listen": "127.0.0.1:0", "workload": {"kind": "push"}} | plan
    )


def count(buckets):
    """Return the number of durations in buckets."""
    return sum(count for _, count in buckets)


def failures(result):
    """Return the number of failures by kind."""
    return {failure["kind"]: failure["count"] for failure in result["failures"]}
