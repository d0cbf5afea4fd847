"""Faults of the engine have the planned size, for other clients and for its own."""

import time
from pathlib import Path

import pytest
from peers.engine import failures, load, serving
from peers.program import cpu_ns
from peers.websocket import talk
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import connect

PAGE_BYTES = 4096
LIMIT_S = 30
STAMPED = {"text": "hello", "stamped": True}
EVERY = 9


def echoes(faults, expected, **settings):
    """Send seven messages, the last of them without a fault; return the answers."""
    sent = [f"{number}0" for number in range(1, 8)]
    with serving(faults=faults, **settings) as engine:
        received = talk(f"{engine.url}/echo", send=sent, messages=expected)
    return " ".join(received.messages)


def feed(faults, *, messages=7, every_ms=1):
    """Return the numbers that a client receives, and the engine's result."""
    plan = {"kind": "sequence", "messages": messages, "every_ms": every_ms}
    with serving(faults=faults, feed=plan, connections=1) as engine:
        received = talk(f"{engine.url}/feed")
        result = engine.result()
    assert received.close_code == 1000
    assert result["messages"] == len(received.messages)
    return " ".join(received.messages)


def exchanged(faults, *, connections=1, payload=STAMPED, drain_s=2):
    """Load a server with an open loop; return its result, and how much was sent."""
    workload = {
        "kind": "echo",
        "schedule": {"kind": "constant", "rate_per_s": 500},
        "payload": payload,
        "phases": {"window_s": 0.4, "drain_s": drain_s},
    }
    with serving(faults=faults) as engine:
        url = f"{engine.url}/echo"
        result = load(url=url, connections=connections, workload=workload)
    assert result["exchange"]["sent"] > EVERY
    return result, result["exchange"]["sent"]


@pytest.mark.parametrize(
    ("faults", "expected"),
    [
        ({"lose_every": 3}, "10 20 40 50 70"),
        ({"repeat_every": 3}, "10 20 30 30 40 50 60 60 70"),
        ({"swap_every": 2}, "10 30 20 50 40 70 60"),
        ({"corrupt_every": 3}, "10 20 31 40 50 61 70"),
        ({"burst": 7}, "10 20 30 40 50 60 70"),
        ({"delay_ms": 5, "lose_every": 3, "swap_every": 2}, "10 40 20 50 70"),
    ],
)
@pytest.mark.parametrize("compression", [None, "deflate"])
def test_python_receives_echoes_as_planned(faults, expected, compression):
    settings = {"compression": {}} if compression else {}
    assert echoes(faults, len(expected.split()), **settings) == expected


@pytest.mark.parametrize(
    ("faults", "expected"),
    [
        ({"lose_every": 3}, "0 1 3 4 6"),
        ({"repeat_every": 3}, "0 1 2 2 3 4 5 5 6"),
        ({"swap_every": 3}, "0 1 3 2 4 6 5"),
        ({"swap_every": 7}, "0 1 2 3 4 5 6"),
        ({"corrupt_every": 3}, "0 1 3 3 4 4 6"),
        ({"burst": 4}, "0 1 2 3 4 5 6"),
        ({"close_after": 3}, "0 1 2"),
        ({"delay_ms": 20, "rate_per_s": 500}, "0 1 2 3 4 5 6"),
    ],
)
def test_python_receives_a_feed_as_planned(faults, expected):
    assert feed(faults) == expected


def test_python_waits_at_least_as_long_as_planned():
    with (
        serving(faults={"delay_ms": 50}) as engine,
        connect(f"{engine.url}/echo", compression=None) as connection,
    ):
        sent_s = time.monotonic()
        connection.send("late")
        assert connection.recv(timeout=LIMIT_S) == "late"
        assert time.monotonic() - sent_s >= 0.05


def test_a_feed_is_no_faster_than_the_rate():
    began_s = time.monotonic()
    assert len(feed({"rate_per_s": 100}, messages=50).split()) == 50
    assert time.monotonic() - began_s >= 49 / 100


def test_python_sees_a_reset():
    with (
        serving(faults={"abort_after": 2}) as engine,
        connect(f"{engine.url}/echo", compression=None) as connection,
    ):
        for _ in range(2):
            connection.send("again")
            assert connection.recv(timeout=LIMIT_S) == "again"
        with pytest.raises(ConnectionClosedError) as caught:
            connection.recv(timeout=LIMIT_S)
    assert isinstance(caught.value.__cause__, ConnectionResetError)


def test_the_memory_of_the_server_grows_with_each_message():
    def resident_bytes():
        pages = Path(f"/proc/{engine.pid}/statm").read_text(encoding="ascii").split()
        return int(pages[1]) * PAGE_BYTES

    def send_messages(messages):
        talk(f"{engine.url}/echo", send=["more"] * messages, messages=messages)

    grow_bytes = 65_536
    with serving(faults={"grow_bytes": grow_bytes}) as engine:
        send_messages(100)
        before = resident_bytes()
        send_messages(300)
        grown = resident_bytes() - before
    assert 0 <= grown - 300 * grow_bytes < 1_000_000


def test_each_message_costs_the_server_cpu_time():
    with serving(faults={"work_us": 2000}) as engine:
        before_ns = cpu_ns(engine.pid)
        talk(f"{engine.url}/echo", send=["compute"] * 20, messages=20)
        used_ns = cpu_ns(engine.pid) - before_ns
    assert used_ns >= 20 * 2_000_000


def test_load_reports_no_faults_of_a_correct_server():
    for faults in (None, {}):
        result, sent = exchanged(faults)
        assert result["exchange"]["echoed"] == sent
        assert result["sequence"] == {
            "in_order": sent,
            "gaps": 0,
            "missing": 0,
            "duplicates": 0,
            "reordered": 0,
            "unexpected": 0,
        }
        assert (failures(result), result["wrong"]) == ({}, 0)


def test_load_reports_lost_messages_as_unanswered():
    result, sent = exchanged({"lose_every": EVERY})
    unanswered = failures(result).get("timeout", 0)
    assert result["sequence"]["missing"] + unanswered == sent // EVERY
    assert result["exchange"]["echoed"] == sent - sent // EVERY
    assert unanswered == (1 if sent % EVERY == 0 else 0)
    assert result["wrong"] == result["sequence"]["reordered"] == 0


def test_load_distinguishes_duplicates_from_answers():
    result, sent = exchanged({"repeat_every": EVERY})
    assert result["sequence"]["duplicates"] == sent // EVERY
    assert result["exchange"]["echoed"] == sent
    assert (failures(result), result["wrong"]) == ({}, 0)


def test_load_reports_reordered_messages():
    result, sent = exchanged({"swap_every": EVERY, "delay_ms": 10})
    held = 1 if sent % EVERY == 0 else 0
    sequence = result["sequence"]
    assert sequence["reordered"] == sequence["gaps"] == sent // EVERY - held
    assert (sequence["missing"], sequence["duplicates"]) == (0, 0)
    assert result["exchange"]["echoed"] == sent - held
    # Each message waits for its own delay; a swapped one also for the next message.
    lowest = result["exchange"]["service_time_ns"][0][0]
    assert lowest >= 10e6 * (1 - 1 / 1024)


@pytest.mark.parametrize(
    "payload",
    [
        STAMPED,
        {"text": "grüezi"},
        {"random_bytes": 100, "stamped": True},
        {"base64": "", "stamped": True},
    ],
    ids=["stamped", "text", "binary", "stamp alone"],
)
def test_load_detects_corrupt_messages(payload):
    result, sent = exchanged({"corrupt_every": EVERY}, payload=payload)
    assert result["wrong"] == sent // EVERY
    assert failures(result) == {"mismatch": sent // EVERY}
    assert result["exchange"]["echoed"] == sent - sent // EVERY


@pytest.mark.parametrize("window", [1, 4])
def test_a_closed_loop_stops_at_a_lost_answer(window):
    workload = {
        "kind": "echo",
        "window": window,
        "phases": {"warm_up_s": 0.2, "window_s": 0.2, "drain_s": 0.5},
    }
    with serving(faults={"lose_every": 2}) as engine:
        result = load(url=f"{engine.url}/echo", connections=3, workload=workload)
    assert failures(result) == {"timeout": 3 * window}
    assert result["exchange"]["echoed"] == 0


@pytest.mark.parametrize(
    ("key", "kind"), [("close_after", "close"), ("abort_after", "read")]
)
def test_load_counts_connections_that_end(key, kind):
    result, _ = exchanged({key: 5}, connections=3)
    assert failures(result)[kind] == 3
    assert result["messages"] == 3 * 5
    assert result["exchange"]["unsent"] > 0


def test_load_detects_bursts_of_a_feed():
    plan = {"kind": "sequence", "every_ms": 20, "messages": 60}
    workload = {
        "kind": "receive",
        "feed": {"kind": "sequence", "every_ms": 20},
        "phases": {"window_s": 1},
    }
    with serving(faults={"burst": 5}, feed=plan) as engine:
        result = load(url=f"{engine.url}/feed", workload=workload)
    assert result["regularity"]["burst_max"] >= 5
    assert result["sequence"]["missing"] == 0


def test_load_detects_a_stall_of_the_server():
    result, sent = exchanged({"stall": {"every_ms": 250, "for_ms": 200}})
    highest = result["exchange"]["response_time_ns"][-1][0]
    assert highest >= 100e6
    assert result["exchange"]["echoed"] == sent
