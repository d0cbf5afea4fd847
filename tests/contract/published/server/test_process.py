"""The published programs: sections 2 and 4 of the contract, for servers of feeds."""

import re

import pytest
from peers.expect import expect_answer, expect_compression
from peers.program import finish

pytestmark = [pytest.mark.where("feed"), pytest.mark.clause("2")]


@pytest.mark.clause("4")
@pytest.mark.where("tls")
def test_it_speaks_tls_if_configured(pool):
    result = pool["clock json"].exchange()
    assert result["tls"]["version"] in ("1.2", "1.3")


@pytest.mark.clause("2.3")
@pytest.mark.where("deflate")
def test_compression_is_granted_if_configured(pool):
    expect_compression(pool["stocks json"].exchange(compression={}))


@pytest.mark.clause("2.3")
@pytest.mark.where("HTTP")
def test_compression_is_declined(pool):
    server = pool["sequence json"]
    with server.connect("/echo", compression="deflate") as connection:
        assert "Sec-WebSocket-Extensions" not in connection.response.headers
        connection.send("hello")
        expect_answer(connection, "hello")


@pytest.mark.clause("2.4")
def test_it_ends_on_sigterm(pool):
    with pool.take("clock json") as server, server.connect("/echo") as connection:
        connection.send("hello")
        expect_answer(connection, "hello")
        server.terminate()


@pytest.mark.clause("2.5")
def test_an_invalid_environment_causes_status_2_and_names_the_variable(
    starter, choose_cases
):
    valid = {"FEED": "hello", "MESSAGES": "1"}
    cases = [
        (valid | {"FEED": "weather"}, "FEED"),
        (valid | {"PORT": "eighty"}, "PORT"),
        ({"FEED": "hello"}, "MESSAGES|SECONDS"),
    ]
    if starter.subject.claims.work:
        cases.append((valid | {"WORK_US": "0"}, "WORK_US"))
    cases = choose_cases(cases)
    started = [(starter.start(**given), reason) for given, reason in cases]
    for server, reason in started:
        with server:
            ended = finish(server.process)
        assert (ended.status, ended.lines) == (2, [])
        assert re.search(reason, ended.stderr.splitlines()[-1])
