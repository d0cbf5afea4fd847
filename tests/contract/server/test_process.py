"""The contract, clauses 2.5 to 2.7 and 8.10, for every server and variant."""

import os
import re
import signal
import socket
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from peers.expect import expect_answer
from peers.program import LIMIT_S, finish

IS_ESTABLISHED = "01"
LISTENS = "0A"
TERMINATION_S = 5.0


def processes_of(session):
    """Return the processes of a session: a server's, and all that it started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            if int(stat.rpartition(")")[2].split()[3]) == session:
                found.append(int(entry.name))
    return found


def has_one_of(pid, inodes):
    """Return whether a process has one of the sockets open."""
    names = {f"socket:[{inode}]" for inode in inodes}
    try:
        files = list(Path(f"/proc/{pid}/fd").iterdir())
        return any(os.readlink(file) in names for file in files)
    except OSError:
        return False


def wait_for_workers(server, workers, sockets, open_connection):
    """
    Open connections until enough processes of a server listen or have a connection.

    Each process may listen itself, or one of them for all.
    """
    deadline_s = time.monotonic() + LIMIT_S
    while True:
        open_connection()
        pids = processes_of(server.process.pid)
        for state in (LISTENS, IS_ESTABLISHED):
            inodes = sockets(server.port, state)
            if sum(has_one_of(pid, inodes) for pid in pids) >= workers:
                return
        assert time.monotonic() < deadline_s, f"fewer than {workers} workers"


def test_it_ends_on_sigterm_with_all_its_workers(starter, sockets):
    workers = 2 if starter.claims.workers else 1
    server = starter.start(WORKERS=str(workers))
    with server, ExitStack() as stack:

        def exchange():
            connection = stack.enter_context(server.connect("/echo"))
            connection.send("hello")
            expect_answer(connection, "hello")

        wait_for_workers(server, workers, sockets, exchange)
        os.kill(server.process.pid, signal.SIGTERM)
        server.process.wait(time.monotonic() + TERMINATION_S)
        assert not server.process.has_group()
        assert processes_of(server.process.pid) == []


OTHER_HOSTS = {"sequence binary": "127.0.0.1", "sequence json": "127.0.0.2"}


@pytest.mark.parametrize("name", OTHER_HOSTS)
def test_it_listens_on_its_host_only(pool, name):
    server = pool[name]
    with server.connect("/echo") as connection:
        connection.send("hello")
        expect_answer(connection, "hello")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((OTHER_HOSTS[name], server.port))


@pytest.fixture
def taken_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_an_invalid_environment_causes_a_status_and_a_reason(
    starter, taken_port, choose_cases
):
    # Environment, exit status (None: any except 0 and 2), and the named variable.
    cases = [
        ({"PORT": "eighty"}, 2, "PORT"),
        ({"FEED": "weather", "MESSAGES": "1"}, 2, "FEED"),
        ({"FEED": "hello"}, 2, "MESSAGES|SECONDS"),
        ({"WORK_US": "0"}, 2, "WORK_US"),
        ({"PORT": str(taken_port)}, None, "."),
    ]
    if not starter.claims.feed:
        cases = [case for case in cases if "FEED" not in case[0]]
    if not starter.claims.work:
        cases = [case for case in cases if "WORK_US" not in case[0]]
    # The library detects a port in use; the kit detects all other cases.
    *wrong, taken = cases
    cases = [*choose_cases(wrong), taken]
    started = [(starter.start(**given), *wanted) for given, *wanted in cases]
    for server, status, reason in started:
        with server:
            ended = finish(server.process)
        assert ended.lines == []
        assert ended.status == status if status else ended.status not in (0, 2)
        assert re.search(reason, ended.stderr.splitlines()[-1])
