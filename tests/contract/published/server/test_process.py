"""The published programs: sections 2 and 4 of the contract, for servers of feeds."""

import pytest
from peers.expect import expect_answer, expect_compression, expect_refusal
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
    wrong = [("FEED", "weather"), ("PORT", "eighty"), ("ENCODING", "xml")]
    wrong += [("EVERY_MS", "0"), ("EVERY_MS", "0.0000001"), ("SUBSCRIBERS", "0")]
    wrong += [("STOCKS", "1000001"), ("SECONDS", "1")]
    if starter.subject.claims.work:
        wrong.append(("WORK_US", "0"))
    if starter.subject.claims.bars:
        wrong += [("BARS", "0"), ("BARS", "10001"), ("PACE", "fast")]
    cases = [(valid | {name: value}, name) for name, value in wrong]
    stocks = valid | {"FEED": "stocks"}
    cases += [
        ({"FEED": "hello"}, "MESSAGES|SECONDS"),
        ({"FEED": "hello", "SECONDS": "0"}, "SECONDS"),
        (stocks, "STOCKS_FILE"),
        (stocks | {"STOCKS_FILE": "missing.csv"}, "STOCKS_FILE"),
        (stocks | {"STOCKS_FILE": "contestant.toml"}, "STOCKS_FILE"),
    ]
    if not starter.subject.claims.work:
        cases.append(({"MESSAGES": "1"}, "FEED"))
    cases = choose_cases(cases)
    started = [(starter.start(**given), name) for given, name in cases]
    for server, name in started:
        with server:
            expect_refusal(finish(server.process), name)
