"""The contract, clauses 2.4, 2.5 and 4.1, and the variables of section 4."""

import socket

import pytest
from peers.expect import expect_answer, expect_failure, expect_refusal
from peers.program import finish
from peers.server_process import processes_of

pytestmark = pytest.mark.clause("4")


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


@pytest.mark.clause("4.1")
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


@pytest.mark.clause("2.5")
def test_an_invalid_environment_causes_a_status_and_a_reason(
    starter, taken_port, choose_cases
):
    # Environment, and the named variable.
    ports = ["eighty", "", "0", "65536"]
    wrong = [({"PORT": port}, "PORT") for port in ports]
    if starter.subject.claims.deflate:
        wrong.append(({"COMPRESSION": "gzip"}, "COMPRESSION"))
    if starter.subject.claims.tls:
        missing = {"TLS_CERT": "missing.pem", "TLS_KEY": "missing.pem"}
        wrong += [
            (missing, "TLS_CERT"),
            ({"TLS_CERT": "contestant.toml"}, "TLS_(CERT|KEY)"),
            ({"TLS_KEY": "contestant.toml"}, "TLS_(CERT|KEY)"),
        ]
    started = [(starter.start(**given), name) for given, name in choose_cases(wrong)]
    for server, name in started:
        with server:
            expect_refusal(finish(server.process), name)
    # The library may detect these.
    cases = [{"PORT": str(taken_port)}, {"HOST": "no host"}]
    if starter.subject.claims.tls:
        cases.append({"TLS_CERT": "contestant.toml", "TLS_KEY": "contestant.toml"})
    for server in [starter.start(**given) for given in cases]:
        with server:
            ended = finish(server.process)
        if ended.status == 2:
            expect_refusal(ended, "HOST|TLS_CERT")
        else:
            expect_failure(ended)
