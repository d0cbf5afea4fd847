"""The contract, clauses 2.4, 2.5 and 4.1, and the variables of section 4."""

import re
import socket

import pytest
from peers.expect import expect_answer
from peers.program import finish
from peers.server_process import processes_of


@pytest.mark.parametrize(
    ("name", "other_host"), [("default", "127.0.0.2"), ("configured", "127.0.0.1")]
)
def test_it_listens_on_its_host_only(pool, name, other_host):
    server = pool[name]
    with server.connect("/echo") as connection:
        connection.send("hello")
        expect_answer(connection, "hello")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((other_host, server.port))


@pytest.mark.where("tls")
def test_it_speaks_tls_if_configured(pool):
    result = pool["configured"].exchange()
    assert result["tls"]["version"] in ("1.2", "1.3")


def test_it_is_one_silent_process_that_ends_on_sigterm(pool):
    with pool.take("configured") as server, server.connect("/echo") as connection:
        connection.send("hello")
        expect_answer(connection, "hello")
        assert processes_of(server.process.pid) == [server.process.pid]
        assert server.terminate().lines == []


@pytest.fixture
def taken_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_an_invalid_environment_causes_a_status_and_a_reason(
    starter, taken_port, choose_cases
):
    # Environment, exit status (None: any except 0 and 2), and the named variable.
    missing = {"TLS_CERT": "missing.pem", "TLS_KEY": "missing.pem"}
    wrong = [({"PORT": "eighty"}, 2, "PORT")]
    if starter.subject.claims.deflate:
        wrong.append(({"COMPRESSION": "gzip"}, 2, "COMPRESSION"))
    if starter.subject.claims.tls:
        wrong.append((missing, 2, "TLS_CERT"))
    # The library detects a port in use; the kit detects all other cases.
    cases = [*choose_cases(wrong), ({"PORT": str(taken_port)}, None, ".")]
    started = [(starter.start(**given), *wanted) for given, *wanted in cases]
    for server, status, reason in started:
        with server:
            ended = finish(server.process)
        assert ended.lines == []
        assert ended.status == status if status else ended.status not in (0, 2)
        assert re.search(reason, ended.stderr.splitlines()[-1])
