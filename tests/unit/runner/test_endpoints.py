"""Parsing of each endpoint's lines, from processes that print them."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.programs import python
from tests.unit.workloads.made_up import SERVED

from autostrada.engine.messages import LoadResult
from autostrada.engine.plans import ConnectionLimits
from autostrada.errors import Crashed, InvalidOutput, TimedOut
from autostrada.runner import endpoints
from autostrada.runner.endpoints import (
    SECOND_NS,
    BuiltProgram,
    ContestantClient,
    ContestantServer,
    EngineClient,
    EngineServer,
    PartialReport,
)
from autostrada.workloads.report import Configuration, SecondReport, Setup

PROGRAM = BuiltProgram(arguments=["./program"], folder=Path())
CONTESTANT_CLIENT, CONTESTANT_SERVER = (
    ContestantClient(PROGRAM),
    ContestantServer(PROGRAM),
)
ENGINE_CLIENT, ENGINE_SERVER = (
    EngineClient(Path("engine")),
    EngineServer(Path("engine")),
)
CONFIGURATION = Configuration(
    plan={"connections": 2}, environment={}, may_be_cut_off=True
)
PRINTER = "import sys; print(sys.argv[1], end=''); sys.exit(int(sys.argv[2]))"
COUNTS = {
    "in_order": 3,
    "gaps": 0,
    "missing": 0,
    "duplicates": 0,
    "reordered": 0,
    "unexpected": 0,
}
RECEIVED = {
    "event": "result",
    "connections": 1,
    "lost": 0,
    "messages": 3,
    "bytes": 33,
    "opened_ns": 1000,
    "received_ns": 2000,
    "wrong": 1,
    "sequence": COUNTS,
}
PARTLY_LOADED = dict.fromkeys(LoadResult.model_fields) | RECEIVED
LOADED = PARTLY_LOADED | {
    "sequence": COUNTS,
    "read_bytes": 0,
    "read_calls": 0,
    "written_bytes": 0,
    "write_calls": 0,
    "connect_tcp_time_ns": [],
    "connect_tls_time_ns": [],
    "connect_tls_resumed_time_ns": [],
    "connect_upgrade_time_ns": [],
    "failures": [],
    "subprotocols": {},
    "delivery_time_ns": [[4096, 3]],
    "connect_response_time_ns": [[100, 1]],
    "regularity": {
        "inter_arrival_ns": [],
        "judged": 3,
        "on_time": 2,
        "burst_max": 1,
        "backlog": 0,
        "surplus": 0,
    },
    "utilizations": [0.5],
    "window_start_ns": 1500,
    "window_ns": 500,
    "ended": "closed",
}
SECOND = {"event": "second", "second": 0, "messages": 2, "bytes": 22}


@pytest.fixture
def read(deadline_s):
    """Return a function: a process prints lines, which the endpoint reads."""

    def read_lines(endpoint, *lines, status=0):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        with python(PRINTER, text, status) as process:
            return endpoint.read(process, deadline_s, CONFIGURATION)

    return read_lines


def test_a_contestant_reports_rounded_latencies(read):
    result = RECEIVED | {"latency_ns": {"51200": 2, "0": 1}}
    received = read(CONTESTANT_CLIENT, SECOND, result)
    assert received.latencies == ((51200, 2), (0, 1))
    assert (received.messages, received.wrong) == (3, 1)
    assert (received.opened_ns, received.ready_ns, received.ended_ns) == (
        1000,
        1000,
        2000,
    )
    assert received.sequence.in_order == 3
    assert received.seconds == (SecondReport(**SECOND),)
    assert received.load is None


def test_a_client_that_ended_itself_is_cut_off_and_keeps_its_latencies(read):
    result = RECEIVED | {"latency_ns": {"51200": 2}, "cut_off": True}
    received = read(CONTESTANT_CLIENT, SECOND, result)
    assert received.is_cut_off
    assert received.latencies
    assert not read(CONTESTANT_CLIENT, SECOND, RECEIVED | {"cut_off": False}).is_cut_off


@pytest.mark.parametrize("kind", ["sequence", "latency_ns"])
def test_values_that_a_feed_does_not_contain_are_null(read, kind):
    assert read(CONTESTANT_CLIENT, RECEIVED | {kind: None}).latencies == ()


@pytest.mark.parametrize("duration", ["-1", "01", "1e3", "1.0", ""])
def test_another_format_of_a_latency_is_invalid_output(read, duration):
    with pytest.raises(InvalidOutput, match="latency_ns"):
        read(CONTESTANT_CLIENT, RECEIVED | {"latency_ns": {duration: 1}})


def test_the_engine_reports_buckets_and_the_last_opening(read):
    received = read(ENGINE_CLIENT, {"event": "ready"}, LOADED)
    assert not received.is_cut_off
    assert received.ready_ns == 1500
    assert received.latencies == ((4098, 3),)  # The middle of its bucket.
    assert received.load.regularity.on_time == 2


def test_an_engine_that_is_not_closed_is_cut_off_or_times_out(read):
    complete = LOADED | {"ended": "complete"}
    assert read(ENGINE_CLIENT, SECOND, complete).is_cut_off
    for seconds in ([], [SECOND | {"messages": 0}]):
        with pytest.raises(TimedOut, match="still running"):
            read(ENGINE_CLIENT, *seconds, complete)


@pytest.mark.parametrize(
    ("environment", "pace"), [({}, "paced"), ({"PACE": "dropping"}, "dropping")]
)
def test_the_report_says_how_a_server_treats_slow_subscribers(read, environment, pace):
    program = replace(PROGRAM, environment=environment)
    sent = {"event": "result", "messages": 40, "bytes": 440}
    assert read(ContestantServer(program), sent).pace == pace


def test_a_contestant_continues_after_serving(read):
    sent = read(CONTESTANT_SERVER, SECOND, RECEIVED, RECEIVED)
    assert (sent.messages, sent.payload_bytes, sent.is_whole) == (3, 33, True)


def test_the_engine_reports_the_sent_messages_of_each_connection(read):
    sent = read(ENGINE_SERVER, {"event": "ready"}, SECOND, SERVED, SERVED)
    assert (sent.messages, sent.payload_bytes, sent.is_whole) == (4, 44, True)


def test_with_very_many_connections_the_engine_reports_whole_seconds(read):
    sent = read(ENGINE_SERVER, {"event": "ready"}, SECOND)
    assert (sent.messages, sent.is_whole) == (2, False)


def test_a_client_that_still_receives_at_the_deadline_is_cut_off(read):
    now_ns = time.monotonic_ns()
    partial = PartialReport()
    assert not partial.is_receiving
    for number in range(2):
        partial.note(SecondReport(**SECOND | {"second": number}))
    assert partial.is_receiving
    received = partial.cut_off(now_ns)
    assert received.is_cut_off
    assert (received.messages, received.payload_bytes) == (4, 44)
    # The second one arrived at this time at the latest.
    assert received.opened_ns <= time.monotonic_ns() - 2 * SECOND_NS
    partial.note(SecondReport(**SECOND | {"second": 2, "messages": 0}))
    assert not partial.is_receiving


def test_a_process_that_ends_before_its_result_has_crashed(read):
    for endpoint in (CONTESTANT_CLIENT, CONTESTANT_SERVER):
        with pytest.raises(Crashed, match="exited with 3 before it printed a result"):
            read(endpoint, SECOND, status=3)
    with pytest.raises(Crashed, match="exited with 3 while it served"):
        read(ENGINE_SERVER, SERVED, status=3)


def test_an_engine_that_does_not_stop_serving_times_out(monkeypatch):
    monkeypatch.setattr(endpoints, "RESULT_LIMIT_S", 0.0)
    with python("input()") as process, pytest.raises(TimedOut, match="still serving"):
        ENGINE_SERVER.read(process, time.monotonic(), CONFIGURATION)


def test_a_server_of_stocks_is_told_where_their_file_is():
    limits = ConnectionLimits(descriptors=None, outgoing_ports=1)
    setup = Setup(protocol="websocket", limit_s=1, connection_limits=limits)
    for environment, is_told in (({"STOCKS": "1"}, True), ({}, False)):
        configuration = Configuration(plan=None, environment=environment)
        launch = CONTESTANT_SERVER.launch(configuration, setup, 8008)
        stocks_file = launch.environment.get("STOCKS_FILE", "")
        assert stocks_file.endswith("stocks.csv") is is_told
