"""The command line as a process, contestants with faults, and a browser."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from autostrada.experiment.matrix import REFERENCE
from autostrada.store.reader import StoreReader

LIMIT_S = 400
"""Longest run of a test, in seconds; each of its trials waits for an idle machine."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--headless", "--disable-background-networking"]
COMMAND = Path(sys.executable).with_name("autostrada")
PROGRAM = Path(__file__).with_name("faulty_client.py")
FAULTS = [
    name.replace("_", "-")
    for name in re.findall(r"^def (\w+)\(client\):$", PROGRAM.read_text(), re.M)
]

MANIFEST = """
library  = "none"
language = "faulty"
homepage = ""
protocol = "websocket"
client.command  = {client}
version.command = {version}
requires.python = {{ command = {requirement}, matches = "Python", install = "wait" }}
build.commands  = [{build}]
"""

EXPERIMENT = """
title       = "Faults"
question    = "Who keeps the contract?"
repetitions = {repetitions}
warm_ups    = {warm_ups}
limit_s     = {limit_s}
clients = {clients}
"""

WORKLOAD = """
[[workload]]
name             = "{frames_per_write}-frames"
kind             = "push"
messages         = {messages}
payload_text     = "hello world"
frames_per_write = "{frames_per_write}"
seconds          = {seconds}
"""


class Workspace:
    """A folder with its own contestants, experiment and store."""

    def __init__(self, folder):
        self.folder = folder
        self.contestants = folder / "contestants"
        self.experiment = folder / "faults.toml"
        self.store = folder / "results" / "store.duckdb"
        self.notes = folder / "notes"
        self.notes.mkdir(parents=True)

    def add(self, name="faulty-client", **commands):
        """
        Add a contestant with a variant for each of its faults.

        It is the same in each test that changes nothing, and is therefore built once.
        """
        defaults = {
            "client": [sys.executable, "client.py"],
            "version": ["echo", "1.0"],
            "requirement": ["echo", "Python"],
            "build": ["true"],
        }
        written = {
            key: json.dumps(value) for key, value in (defaults | commands).items()
        }
        text = MANIFEST.format_map(written)
        for fault in FAULTS:
            text += f'[[variant]]\nname = "{fault}"\nenv = {{ FAULT = "{fault}" }}\n'
        target = self.contestants / name
        target.mkdir(parents=True)
        (target / "contestant.toml").write_text(text)
        shutil.copy(PROGRAM, target / "client.py")

    def plan(self, *contestants, workloads=("many",), **settings):
        values = {"repetitions": 1, "warm_ups": 0, "limit_s": 20, "seconds": 0}
        values |= {"messages": 1_000_000} | settings
        clients = json.dumps([REFERENCE, *contestants])
        text = EXPERIMENT.format(clients=clients, **values)
        for frames_per_write in workloads:
            text += WORKLOAD.format(frames_per_write=frames_per_write, **values)
        self.experiment.write_text(text)

    def arguments(self, *more):
        """Return the command line of a run."""
        return [
            str(COMMAND),
            "run",
            str(self.experiment),
            "--no-calibration",
            "--contestants",
            str(self.contestants),
            "--store",
            str(self.store),
            *more,
        ]

    def environment(self, **more):
        return os.environ | {"FAULT_NOTES": str(self.notes), "COLUMNS": "200"} | more

    def run(self, *more, **environment):
        """Run the experiment until it ends."""
        return subprocess.run(
            self.arguments(*more),
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
            env=self.environment(**environment),
        )

    def start(self, *more, output=subprocess.PIPE, **environment):
        """Start the experiment; its lines are in a pipe."""
        return subprocess.Popen(
            self.arguments(*more),
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment(**environment),
        )

    def query(self, sql):
        with StoreReader.open(self.store) as reader:
            return reader.query(sql)

    def attempts(self):
        """
        Return every attempt as contestant, workload, warm-up and repetition.

        A repeated trial, after a disturbance, belongs to the same attempt.
        """
        rows = self.query(
            "SELECT contestant, workload, is_warm_up, repetition FROM trial "
            "WHERE retry = 0"
        )
        return [tuple(row.values()) for row in rows]

    def noted(self, fault):
        """Return the PIDs of the processes that a contestant has reported."""
        return [int(line) for line in (self.notes / fault).read_text().split()]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """Return a workspace that all tests of a module share."""
    return Workspace(tmp_path_factory.mktemp("workspace"))


@pytest.fixture
def own_workspace(tmp_path):
    """Return a workspace for one test."""
    return Workspace(tmp_path)


@pytest.fixture(scope="module")
def browser():
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        remedy = "no Chromium to open the page in: apt install chromium"
        if os.environ.get("CI"):
            pytest.fail(remedy)
        pytest.skip(remedy)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, page_url):
    """Open a module's page offline; fail on any request or console message."""
    contexts, unexpected = [], []

    def open_page(viewport, scheme="light"):
        context = browser.new_context(
            viewport=viewport, color_scheme=scheme, offline=True
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: unexpected.append(message.text))
        page.on("pageerror", lambda error: unexpected.append(str(error)))
        page.on("request", lambda request: unexpected.append(request.url))
        page.goto(page_url)
        charts = page.locator("[data-chart]")
        for chart in charts.all():
            chart.locator("svg").wait_for()
        unexpected.remove(page_url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert unexpected == []
