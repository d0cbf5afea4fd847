"""What both ends of a feed say, by processes that say it."""

import json
import sys
import time
from pathlib import Path

import pytest

from autostrada.errors import Crashed, InvalidOutput, TimedOut
from autostrada.machine.process import Command, Process
from autostrada.runner.engine import Second
from autostrada.runner.trial.feed.words import (
    SECOND_NS,
    SoFar,
    hear_contestant_client,
    hear_contestant_server,
    hear_engine_client,
    hear_engine_server,
)

SAYS = "import sys; print(sys.argv[1], end=''); sys.exit(int(sys.argv[2]))"
NUMBERS = {
    "in_order": 3,
    "gaps": 0,
    "missing": 0,
    "repeats": 0,
    "disorders": 0,
    "strays": 0,
}
RECEIVED = {
    "event": "result",
    "connections": 1,
    "messages": 3,
    "bytes": 33,
    "opened_ns": 1000,
    "received_ns": 2000,
    "wrong": 1,
    "sequence": NUMBERS,
}
LOADED = RECEIVED | {
    "sequence": {
        "in_order": 3,
        "gaps": 0,
        "missing": 0,
        "duplicates": 0,
        "reordered": 0,
        "unexpected": 0,
    },
    "delivery_time_ns": [[4096, 3]],
    "connect_response_time_ns": [[100, 1]],
    "regularity": {"judged": 3, "on_time": 2, "burst_max": 1, "backlog": 0},
    "busy_shares": [0.5],
    "window_start_ns": 1500,
    "window_ns": 500,
    "ended": "closed",
    "generator_limited": None,
}
SERVED = {
    "event": "result",
    "messages": 2,
    "bytes": 22,
    "acknowledged_bytes": 30,
    "wire_bytes": 30,
    "write_calls": 1,
    "first_sent_ns": 1,
    "last_sent_ns": 2,
    "closed_ns": 3,
    "busy_ns": 1,
    "blocked_ns": 0,
    "close_code": 1000,
    "ended": "complete",
    "congestion_control": "reno",
    "processes": {},
}
SECOND = {"event": "second", "second": 0, "messages": 2, "bytes": 22}


@pytest.fixture
def hear(deadline_s):
    """Return a function that has a process say lines, and hears it."""

    def hear_lines(listen, *lines, status=0):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        words = [sys.executable, "-c", SAYS, text, str(status)]
        with Process(Command(words=words, folder=Path())) as process:
            return listen(process, deadline_s)

    return hear_lines


def test_a_contestant_says_its_latencies_as_they_are_rounded(hear):
    said = RECEIVED | {"latency_ns": {"51200": 2, "0": 1}}
    delivered = hear(hear_contestant_client, SECOND, said)
    assert delivered.latencies == ((51200, 2), (0, 1))
    assert (delivered.messages, delivered.wrong) == (3, 1)
    assert (delivered.opened_ns, delivered.ready_ns, delivered.ended_ns) == (
        1000,
        1000,
        2000,
    )
    assert delivered.numbers.in_order == 3
    assert delivered.seconds == (Second(**SECOND),)
    assert delivered.engine is None


@pytest.mark.parametrize("kind", ["sequence", "latency_ns"])
def test_what_a_feed_does_not_tell_is_null(hear, kind):
    assert hear(hear_contestant_client, RECEIVED | {kind: None}).latencies == ()


@pytest.mark.parametrize("duration", ["-1", "01", "1e3", "1.0", ""])
def test_another_way_to_write_a_latency_is_invalid_output(hear, duration):
    with pytest.raises(InvalidOutput, match="latency_ns"):
        hear(hear_contestant_client, RECEIVED | {"latency_ns": {duration: 1}})


def test_the_engine_says_buckets_and_when_the_last_connection_was_open(hear):
    delivered = hear(hear_engine_client, {"event": "ready"}, LOADED)
    assert not delivered.is_cut_off
    assert delivered.ready_ns == 1500
    assert delivered.latencies == ((4098, 3),)  # The middle of its bucket.
    assert delivered.engine.regularity.on_time == 2


def test_an_engine_that_is_not_closed_is_cut_off_or_waits_in_vain(hear):
    complete = LOADED | {"ended": "complete"}
    assert hear(hear_engine_client, SECOND, complete).is_cut_off
    for seconds in ([], [SECOND | {"messages": 0}]):
        with pytest.raises(TimedOut, match="still running"):
            hear(hear_engine_client, *seconds, complete)


def test_a_contestant_that_has_served_goes_on(hear):
    handed = hear(hear_contestant_server, SECOND, RECEIVED, RECEIVED)
    assert (handed.messages, handed.payload_bytes, handed.is_whole) == (3, 33, True)


def test_the_engine_says_what_each_connection_was_handed(hear):
    handed = hear(hear_engine_server, {"event": "ready"}, SECOND, SERVED, SERVED)
    assert (handed.messages, handed.payload_bytes, handed.is_whole) == (4, 44, True)


def test_of_very_many_connections_the_engine_says_whole_seconds(hear):
    handed = hear(hear_engine_server, {"event": "ready"}, SECOND)
    assert (handed.messages, handed.is_whole) == (2, False)


def test_who_is_still_receiving_when_its_time_is_over_is_cut_off(hear):
    now_ns = time.monotonic_ns()
    so_far = SoFar()
    assert not so_far.is_receiving
    for number in range(2):
        so_far.note(Second(**SECOND | {"second": number}))
    assert so_far.is_receiving
    delivered = so_far.cut_off(now_ns)
    assert delivered.is_cut_off
    assert (delivered.messages, delivered.payload_bytes) == (4, 44)
    # The second one has come at this instant at the latest.
    assert delivered.opened_ns <= time.monotonic_ns() - 2 * SECOND_NS
    so_far.note(Second(**SECOND | {"second": 2, "messages": 0}))
    assert not so_far.is_receiving


def test_who_ends_before_it_has_said_all_has_crashed(hear):
    for listen in (hear_contestant_client, hear_contestant_server):
        with pytest.raises(Crashed, match="exited with 3 before it printed a result"):
            hear(listen, SECOND, status=3)
    with pytest.raises(Crashed, match="exited with 3 while it served"):
        hear(hear_engine_server, SERVED, status=3)


def test_an_engine_that_goes_on_serving_is_waited_for_no_longer_than_planned():
    words = [sys.executable, "-c", "input()"]
    with (
        Process(Command(words=words, folder=Path())) as process,
        pytest.raises(TimedOut, match="still serving"),
    ):
        hear_engine_server(process, 0.0)
