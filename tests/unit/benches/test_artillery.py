"""The command line of Artillery, and the output of its scenarios."""

import json

import pytest

from autostrada.errors import EngineError
from compare.artillery import SCENARIOS, arguments, events

BEGIN = '{"event":"begin"}\n'
END = '{"event":"end","messages":8,"duration_ms":2}\n'


def test_lines_of_artillery_itself_are_left_out():
    lines = ["Test run id: t1\n", BEGIN, "\n", END]
    assert list(events(lines)) == [
        {"event": "begin"},
        {"event": "end", "messages": 8, "duration_ms": 2},
    ]


def test_what_follows_the_end_is_not_awaited():
    def lines():
        yield END
        pytest.fail("read on")

    assert len(list(events(lines()))) == 1


def test_an_end_of_artillery_before_that_of_the_window_is_a_failure_and_shown():
    lines = [BEGIN, "Error: no\n", "see the log\n"]
    with pytest.raises(EngineError, match="ended early: Error: no see the log"):
        list(events(lines))


@pytest.mark.parametrize(("connections", "duration_s"), [(10, 1), (10_000, 20)])
def test_virtual_users_arrive_at_500_a_second_at_most(connections, duration_s):
    command = arguments("echo.yml", "ws://server/echo", connections)
    assert command[command.index("--target") + 1] == "ws://server/echo"
    overrides = json.loads(command[command.index("--overrides") + 1])
    phase = {"arrivalCount": connections, "duration": duration_s}
    assert overrides == {"config": {"phases": [phase]}}


@pytest.mark.parametrize("name", ["echo.yml", "send.yml", "idle.yml"])
def test_the_scenarios_exist(name):
    assert (SCENARIOS / name).is_file()
