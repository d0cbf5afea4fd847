"""Programs of a contestant, and programs that break the contract."""

import sys
from pathlib import Path

import pytest

from autostrada.conformance.roles import run_role
from autostrada.conformance.subject import ContestantSubject, Subject, SubjectLaunch
from autostrada.contestants.build import Builder
from autostrada.contestants.catalog import find_catalog
from autostrada.errors import Crashed
from autostrada.machine.process import Command

LIBRARY = "websockets"

ENDS_AT_BINARY = """
import os, sys
from websockets.sync.server import serve

def echo(connection):
    for message in connection:
        if isinstance(message, bytes):
            os._exit(7)
        connection.send(message)

with serve(echo, "127.0.0.1", int(sys.argv[1])) as server:
    server.serve_forever()
"""

SENDS_NOTHING = """
import sys
from websockets.sync.server import serve

with serve(list, "127.0.0.1", int(sys.argv[1])) as server:
    server.serve_forever()
"""

CLOSES_WITHOUT_READING = r"""
import socket, sys
from urllib.parse import urlsplit

url = urlsplit(sys.argv[1])
request = (
    f"GET {url.path}?{url.query} HTTP/1.1\r\nHost: {url.netloc}\r\n"
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
with socket.create_connection((url.hostname, url.port)) as connection:
    connection.sendall(request.encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += connection.recv(1)
    connection.recv(1, socket.MSG_PEEK)
    connection.sendall(b"\x88\x82\0\0\0\0\x03\xea")
"""


@pytest.fixture(scope="module")
def contestant():
    """Return a contestant in Python that claims compression, built."""
    catalog = find_catalog()
    chosen = next(
        each
        for each in catalog.contestants().values()
        if each.manifest.library == LIBRARY and not each.variant
    )
    built = Builder.of(catalog).build(chosen, announce=lambda what: None)
    return ContestantSubject(contestant=chosen, folder=built.folder)


class BrokenSubject(Subject):
    """A server that ends at a binary message, and a client that does not connect."""

    name = "broken"

    def server(self, port, *, compressed):
        return self.launch(sys.executable, "-c", ENDS_AT_BINARY, str(port))

    def client(self, url, *, compressed):
        return self.launch("sh", "-c", "echo no route >&2; exit 1")

    def launch(self, *arguments):
        return SubjectLaunch(command=Command(arguments=arguments, folder=Path.cwd()))


class HastySubject(BrokenSubject):
    """A client that closes the connection with 1002, whatever there is to read."""

    name = "hasty"

    def client(self, url, *, compressed):
        return self.launch(sys.executable, "-c", CLOSES_WITHOUT_READING, url)


class SilentSubject(BrokenSubject):
    """A server that receives messages and sends nothing."""

    name = "silent"

    def server(self, port, *, compressed):
        return self.launch(sys.executable, "-c", SENDS_NOTHING, str(port))


def test_a_server_passes_cases_with_and_without_compression(bench, contestant):
    found = run_role(bench, contestant, "server", ["1.1.1", "2.1", "12.1.1"])
    assert not found.others
    assert found.cases == {"1": 1, "2": 1, "12": 1}


def test_a_client_passes_cases_with_compression(bench, contestant):
    found = run_role(bench, contestant, "client", ["12.1.1", "12.1.2"])
    assert not found.others
    assert found.cases == {"12": 2}


def test_a_server_that_ends_has_failed_the_case_and_is_started_again(bench):
    found = run_role(bench, BrokenSubject(), "server", ["1.1.1", "1.2.1", "2.1"])
    assert found.failed == ("1.2.1",)
    assert found.cases == {"1": 2, "2": 1}


def test_a_non_strict_case_is_tested_twice(bench):
    tested = []
    cases = ["2.1", "4.2.3"]
    found = run_role(bench, SilentSubject(), "server", cases, tested.append)
    assert {case: each.kind for case, each in found.others.items()} == {
        "4.2.3": "non-strict"
    }
    assert tested == [*cases, "4.2.3"]


def test_a_client_that_never_connects_is_not_tested(bench):
    with pytest.raises(Crashed, match="connected in no case: no route"):
        run_role(bench, BrokenSubject(), "client", ["1.1.1"])


def test_a_client_that_resets_the_connection_has_its_outcome(bench):
    found = run_role(bench, HastySubject(), "client", ["2.5", "3.1"])
    assert not found.others
    assert found.cases == {"2": 1, "3": 1}
