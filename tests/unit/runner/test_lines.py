"""The lines of a process: which are valid, and which are invalid."""

import json

import pytest

from autostrada.errors import InvalidOutput
from autostrada.runner.endpoints import ClientResult
from autostrada.runner.lines import parse_line
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


def test_the_reference_client_may_have_more_keys():
    line = json.dumps(CLIENT | {"wrong": 2, "busy_share": 0.5, "ended": "complete"})
    assert parse_line(line, ClientResult).wrong == 2
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
        {"messages": None},
        {"messages": "1000"},
        {"messages": 1.5},
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


def test_a_second_may_have_more_keys():
    line = '{"event":"second","second":0,"messages":1,"bytes":11,"sent":2}'
    assert parse_line(line, ClientResult) == second(0, 1, 11)
