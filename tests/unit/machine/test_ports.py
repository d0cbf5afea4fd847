"""Reserved ports, and processes that do or do not listen on them."""

import socket
import time

import pytest
from tests.unit.programs import python

from autostrada.machine.ports import (
    LISTENS,
    await_listener,
    reserved_port,
    sockets_of_port,
)

LISTENER = """
import socket, sys, time
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
sys.stdin.readline()
server.setblocking(False)
try:
    server.accept()
    print("connected", flush=True)
except BlockingIOError:
    print("alone", flush=True)
"""


@pytest.fixture
def port():
    with reserved_port() as number:
        yield number


def test_a_reserved_port_cannot_be_reserved_again(port):
    taken = set()
    with pytest.raises(OSError, match="in use"), socket.socket(socket.AF_UNIX) as own:
        own.bind(f"\0autostrada/tcp/{port}")
    for _ in range(20):
        with reserved_port() as other:
            taken.add(other)
    assert port not in taken


def test_a_port_is_reserved_until_its_block_ends():
    with reserved_port() as number:
        pass
    with socket.socket(socket.AF_UNIX) as own:
        own.bind(f"\0autostrada/tcp/{number}")


def test_a_listener_is_detected_without_connecting(port, deadline_s):
    with python(LISTENER, port) as process:
        assert await_listener(process, port, deadline_s)
        assert len(sockets_of_port(port, LISTENS)) == 1
        process.send("\n")
        assert process.read_line(deadline_s) == "alone"


def test_an_ended_process_is_not_waited_for(port, deadline_s):
    with python("") as process:
        assert not await_listener(process, port, deadline_s)


def test_a_process_that_does_not_listen_is_waited_for_until_the_deadline(port):
    with python("input()") as process, pytest.raises(TimeoutError):
        await_listener(process, port, time.monotonic())
