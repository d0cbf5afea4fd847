"""Who is to blame when several fail, and that nobody is waited for in vain."""

import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from autostrada.errors import (
    Crashed,
    EngineError,
    InvalidOutput,
    OutOfMemory,
    TimedOut,
)
from autostrada.machine.process import Command, Process
from autostrada.runner.trial.feed.hearing import hear_all, to_blame
from autostrada.runner.trial.guard import Guard
from autostrada.runner.trial.players import Player

RESULT = '{"event":"result","messages":3,"bytes":33}'
RECEIVED = (
    '{"event":"result","connections":1,"messages":3,"bytes":33,'
    '"opened_ns":1,"received_ns":2,"wrong":0}'
)
SAYS = f"print('''{RESULT}'''); input()"
HEARS = f"print('''{RECEIVED}''')"
WAITS = "input()"
CRASHES = "import sys; sys.exit(3)"


@pytest.fixture
def player():
    """Return a function that starts a contestant's process of a name."""
    with ExitStack() as stack:

        def start(name, code):
            words = [sys.executable, "-c", code]
            process = stack.enter_context(Process(Command(words=words, folder=Path())))
            return Player(name=name, process=process, is_engine=False, port=1)

        yield start


def guard_of(*players):
    return Guard({player.name: player.process for player in players}, 2**60)


def test_all_are_heard_in_their_order(player, deadline_s):
    players = [player("server", SAYS), player("client", HEARS)]
    handed, delivered = hear_all(players, deadline_s, guard_of(*players))
    assert (handed.messages, delivered.connections) == (3, 1)


def test_when_one_fails_the_others_are_not_waited_for(player, deadline_s):
    players = [player("server", WAITS), player("client", CRASHES)]
    with pytest.raises(Crashed, match="exited with 3") as caught:
        hear_all(players, deadline_s, guard_of(*players))
    assert caught.value.process == "client"
    assert time.monotonic() < deadline_s


def test_a_server_that_has_gone_is_to_blame_before_its_clients(player, deadline_s):
    players = [player("server", CRASHES), player("client", CRASHES)]
    with pytest.raises(Crashed) as caught:
        hear_all(players, deadline_s, guard_of(*players))
    assert caught.value.process == "server"


def test_of_two_that_wait_for_each_other_the_client_is_to_blame(player):
    players = [player("server", WAITS), player("client", WAITS)]
    with pytest.raises(TimedOut) as caught:
        hear_all(players, time.monotonic(), guard_of(*players))
    assert caught.value.process == "client"


def test_whoever_was_ended_for_its_memory_is_to_blame(player, deadline_s):
    players = [player("server", CRASHES)]
    guard = guard_of(*players)
    guard.failure = OutOfMemory("killed", process="server")
    with pytest.raises(OutOfMemory):
        hear_all(players, deadline_s, guard)


@pytest.mark.parametrize(
    ("to", "others"),
    [
        (EngineError("engine"), [Crashed("gone", process="server")]),
        (Crashed("gone", process="server"), [InvalidOutput("?"), TimedOut("waits")]),
        (InvalidOutput("?"), [TimedOut("waits", process="server"), TimedOut("waits")]),
        (TimedOut("waits"), [TimedOut("waits", process="server")]),
    ],
)
def test_the_cause_is_told_from_what_follows(to, others):
    assert to_blame([to, *others]) is to
    assert to_blame([*others, to]) is to
