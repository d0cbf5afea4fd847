"""The lines of a process: which are valid, and which are invalid."""

import json
import time

import pytest
from tests.unit.programs import python

from autostrada.errors import Crashed, InvalidOutput, LeftBehind, TimedOut
from autostrada.runner import lines
from autostrada.runner.endpoints import ClientResult
from autostrada.runner.lines import expect_exit, parse_line, receive
from autostrada.workloads.report import SecondReport

CLIENT = {
    "event": "result",
    "connections": 1,
    "messages": 1_000,
    "bytes": 7_000,
    "opened_ns": 1_000_000_000,
    "received_ns": 3_000_000_000,
}


def second(number, messages, size):
    return SecondReport(event="second", second=number, messages=messages, bytes=size)


def test_the_lines_of_the_contract_are_parsed():
    line = '{"event":"second","second":0,"messages":212345,"bytes":2335795}'
    assert parse_line(line, ClientResult) == second(0, 212_345, 2_335_795)
    assert parse_line(json.dumps(CLIENT), ClientResult) == ClientResult(**CLIENT)


def test_lines_may_have_more_keys():
    line = json.dumps(CLIENT | {"wrong": 2, "utilization": 0.5, "ended": "complete"})
    assert parse_line(line, ClientResult).wrong == 2
    line = '{"event":"second","second":0,"messages":1,"bytes":11,"sent":2}'
    assert parse_line(line, ClientResult) == second(0, 1, 11)
    assert parse_line('{"event":"ready","format":2}', ClientResult) is None


@pytest.mark.parametrize(
    "line",
    [
        "",
        "hello",
        "null",
        "7",
        "[1]",
        '"text"',
        '{"event":"result"',
        "[" * 60_000,
        f'{{"event":"result","messages":{"9" * 5_000}}}',
    ],
    ids=["empty", "text", "null", "number", "list", "string", "half", "deep", "long"],
)
def test_a_line_that_is_not_a_json_object_is_invalid_output(line):
    with pytest.raises(InvalidOutput, match="no JSON object") as caught:
        parse_line(line, ClientResult)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("line", ["{}", '{"event":7}', '{"event":"third"}'])
def test_an_unknown_event_is_invalid_output(line):
    with pytest.raises(InvalidOutput, match="unknown event"):
        parse_line(line, ClientResult)


@pytest.mark.parametrize(
    "change",
    [
        {"messages": "1000"},
        {"messages": -1},
        {"bytes": 2**63},
        {"opened_ns": float("inf")},
        {"connections": True},
    ],
    ids=str,
)
def test_a_result_with_a_wrong_value_is_invalid_output(change):
    (key,) = change
    with pytest.raises(InvalidOutput, match=rf"'.*: {key}: "):
        parse_line(json.dumps(CLIENT | change), ClientResult)


@pytest.mark.parametrize("key", ["messages", "opened_ns", "received_ns"])
def test_a_result_without_a_key_is_invalid_output(key):
    short = {name: value for name, value in CLIENT.items() if name != key}
    with pytest.raises(InvalidOutput, match=f"{key}: field required"):
        parse_line(json.dumps(short), ClientResult)


def running(code):
    """Run a Python program."""
    return python(f"import os, signal, sys\n{code}")


WAIT = "signal.pause()"


def test_a_client_without_a_result_at_its_deadline_has_timed_out():
    with (
        running(WAIT) as client,
        pytest.raises(TimedOut, match="still running at its time limit"),
    ):
        receive(client, time.monotonic(), ClientResult)


def test_a_client_may_have_waited_for_its_turns_before_its_deadline(deadline_s):
    seconds = [{"event": "second", "second": each} for each in range(1_000)]
    lines = [json.dumps(each | {"messages": 0, "bytes": 0}) for each in seconds]
    with running(f"print({chr(10).join([*lines, json.dumps(CLIENT)])!r})") as client:
        received = receive(client, deadline_s, ClientResult)
    assert len(received.seconds) == 1_000


def test_a_client_that_closes_its_output_has_to_exit(deadline_s):
    with running(f"os.close(1); os.close(2); {WAIT}") as client:
        assert client.read_line(deadline_s) is None
        with pytest.raises(TimedOut, match="closed its output and did not exit"):
            receive(client, time.monotonic(), ClientResult)


def test_the_output_of_a_client_that_has_exited_is_not_awaited_up_to_the_deadline(
    deadline_s, monkeypatch
):
    monkeypatch.setattr(lines, "EXIT_LIMIT_S", 0.1)
    with running(f"if os.fork() == 0: {WAIT}\nsys.exit(3)") as client:
        with pytest.raises(Crashed, match=r"exited with 3 .* keeps its output open"):
            receive(client, deadline_s, ClientResult)
        assert time.monotonic() < deadline_s


def test_a_line_without_an_end_is_invalid_output(deadline_s):
    with (
        running("while True: sys.stdout.write('x' * 4096)") as client,
        pytest.raises(InvalidOutput, match="a line without an end"),
    ):
        receive(client, deadline_s, ClientResult)


def test_nothing_may_follow_the_result(deadline_s):
    with (
        running("print('and another thing')") as client,
        pytest.raises(InvalidOutput, match="'and another thing' after its result"),
    ):
        expect_exit(client, deadline_s)


def test_a_client_has_to_exit_after_its_result(deadline_s):
    with running(WAIT) as client, pytest.raises(TimedOut, match="did not exit within"):
        expect_exit(client, time.monotonic())
    with running("sys.exit(3)") as client, pytest.raises(Crashed, match="exited with"):
        expect_exit(client, deadline_s)


def test_a_child_of_an_ended_client_may_not_keep_its_output_open(deadline_s):
    with running(f"if os.fork() == 0: {WAIT}\nprint(flush=True)") as client:
        assert client.read_line(deadline_s) == ""
        while client.status() is None:
            assert time.monotonic() < deadline_s
        with pytest.raises(LeftBehind, match="keeps its output open"):
            expect_exit(client, time.monotonic())
