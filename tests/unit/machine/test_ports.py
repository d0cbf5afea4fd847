"""Ports that are reserved, and processes that listen on them, or do not."""

import socket
import sys
import time
from pathlib import Path

import pytest

from autostrada.machine.ports import (
    LISTENS,
    await_listener,
    reserved_port,
    sockets_of_port,
)
from autostrada.machine.process import Command, Process

LISTENER = """
import socket, sys, time
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
sys.stdin.read()
"""


@pytest.fixture
def port():
    with reserved_port() as number:
        yield number


def python(code, *arguments):
    words = [sys.executable, "-c", code, *map(str, arguments)]
    return Process(Command(words=words, folder=Path()))


def test_a_reserved_port_is_nobody_elses(port):
    taken = set()
    with pytest.raises(OSError, match="in use"), socket.socket(socket.AF_UNIX) as own:
        own.bind(f"\0autostrada/tcp/{port}")
    for _ in range(20):
        with reserved_port() as other:
            taken.add(other)
    assert port not in taken


def test_a_port_is_reserved_no_longer_than_for_the_block():
    with reserved_port() as number:
        pass
    with socket.socket(socket.AF_UNIX) as own:
        own.bind(f"\0autostrada/tcp/{number}")


def test_a_listener_is_seen_and_never_connected_to(port, deadline_s):
    with python(LISTENER, port) as process:
        assert await_listener(process, port, deadline_s)
        assert len(sockets_of_port(port, LISTENS)) == 1
        # As a connection would have left one behind on our side.
        assert not sockets_of_port(port, "06")


def test_a_process_that_ends_is_not_waited_for(port, deadline_s):
    with python("") as process:
        assert not await_listener(process, port, deadline_s)


def test_who_does_not_listen_is_waited_for_until_its_time_is_over(port):
    with python("input()") as process, pytest.raises(TimeoutError):
        await_listener(process, port, time.monotonic())
