"""The command line as a process, contestants with faults, and a browser."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import COMMAND
from peers.engine import serving
from peers.tool import tool
from playwright.sync_api import sync_playwright

from autostrada.experiment.matrix import REFERENCE
from autostrada.store.reader import StoreReader

LIMIT_S = 1200
"""Time limit of a run, which only a defect reaches."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--headless", "--disable-background-networking"]
PROGRAM = Path(__file__).with_name("faulty_client.py")
SERVER = Path(__file__).with_name("bots_server.py")
FAULTS = [
    name.replace("_", "-")
    for name in re.findall(r"^def (\w+)\(client\):$", PROGRAM.read_text(), re.M)
]

MANIFEST = """
library  = "none"
homepage = ""
client.command  = {client}
client.delivers = "string"
client.validates_utf8 = true
version.command = {version}
requires.python = {{ command = {requirement}, matches = "Python", install = "wait" }}
build.commands  = [{build}]
"""

SERVER_MANIFEST = """
library  = "none"
language = "small"
homepage = ""
protocol = "websocket"
server.command  = {server}
version.command = ["echo", "1.0"]
"""

VARIANT = """
[[variant]]
name = "{fault}"
env  = {{ FAULT = "{fault}" }}
"""

EXPERIMENT = """
title       = "Faults"
question    = "Who keeps the contract?"
repetitions = {repetitions}
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
            text += VARIANT.format(fault=fault)
        target = self.contestants / name
        target.mkdir(parents=True)
        (target / "contestant.toml").write_text(text)
        shutil.copy(PROGRAM, target / "client.py")

    def add_server(self, name, *faults, more=""):
        """Add a contestant that answers, with a variant for each of these faults."""
        target = self.contestants / name
        target.mkdir(parents=True)
        shutil.copy(SERVER, target / "server.py")
        server = json.dumps([sys.executable, "server.py"])
        text = SERVER_MANIFEST.format(server=server)
        for fault in faults:
            text += VARIANT.format(fault=fault)
        (target / "contestant.toml").write_text(text + more)

    def plan(self, *contestants, workloads=("many",), **settings):
        values = {"repetitions": 1, "limit_s": 120, "seconds": 0}
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

    def start(
        self, *more, output=subprocess.PIPE, errors=subprocess.PIPE, **environment
    ):
        """Start the experiment; its lines are in a pipe."""
        return subprocess.Popen(
            self.arguments(*more),
            stdout=output,
            stderr=errors,
            text=True,
            env=self.environment(**environment),
        )

    def query(self, sql):
        with StoreReader.open(self.store) as reader:
            return reader.query(sql)

    def attempts(self):
        """
        Return every attempt as contestant, workload and repetition.

        A repeated trial, after a disturbance, belongs to the same attempt.
        """
        rows = self.query(
            "SELECT contestant, workload, repetition FROM trial WHERE retry = 0"
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
def engine_url():
    """Return the address of the engine as a server that echoes."""
    with serving() as engine:
        yield f"{engine.url}/echo"


@pytest.fixture(scope="session", autouse=True)
def state_home(tmp_path_factory):
    """Keep the loads of tests out of the history of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="module")
def browser():
    executable = tool("chromium", *BROWSERS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield browser
        browser.close()


OPEN_ALL = "dispatchEvent(new Event('beforeprint'))"
"""Opens all that is folded, and draws all charts, as printing does."""

OVERFLOWING = """[...document.querySelectorAll('main *')]
    .filter(each => !each.closest('.scroll, pre, svg, .hidden'))
    .filter(each => each.getBoundingClientRect().right > innerWidth + 1)
    .map(each => each.outerHTML.slice(0, 80))"""
DRAWN = """async () => {
    const every = (selector, is) => [...document.querySelectorAll(selector)].every(is);
    while (!every('details', each => each.open)
        || !every('.chart', each => each.firstChild))
        await new Promise(requestAnimationFrame);
}"""
HEIGHT = 900


class Pages:
    """A module's page, opened offline for each width and colour scheme."""

    def __init__(self, browser, url):
        self._browser = browser
        self._url = url
        self._pages = {}
        self.unexpected = []
        """Requests and messages of the console."""

    def __call__(self, width, scheme="light"):
        """Return the page as it is when it is opened."""
        if (width, scheme) not in self._pages:
            page = self._browser.new_page(
                viewport={"width": width, "height": HEIGHT},
                color_scheme=scheme,
                offline=True,
            )
            page.on("console", lambda message: self.unexpected.append(message.text))
            page.on("pageerror", lambda error: self.unexpected.append(str(error)))
            page.on("request", lambda request: self.unexpected.append(request.url))
            self._pages[width, scheme] = page
        page = self._pages[width, scheme]
        page.goto(self._url)
        self.unexpected.remove(self._url)
        return page

    def whole(self, width, scheme="light"):
        """Return the page with all that is folded open, and all charts drawn."""
        page = self(width, scheme)
        page.evaluate(OPEN_ALL)
        page.evaluate(DRAWN)
        return page

    def overflowing(self, width):
        """Return what is wider than the page, with all details open; tables scroll."""
        page = self.whole(width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        return page.evaluate(OVERFLOWING)

    def close(self):
        for page in self._pages.values():
            page.close()


@pytest.fixture(scope="module")
def opened(browser, page_url):
    """Return a function that opens a module's page; it requests and reports nothing."""
    with contextlib.closing(Pages(browser, page_url)) as pages:
        yield pages
    assert pages.unexpected == []
