"""The engine against a peer that is not ours, in both roles: Python's websockets."""

import json
import subprocess
import threading
from contextlib import contextmanager

import pytest
from websockets.sync.client import connect
from websockets.sync.server import serve

from autostrada.runner.engine import find_engine

LIMIT_S = 60


@contextmanager
def peer(handler):
    """Serve with websockets; yield the address."""
    with serve(handler, "127.0.0.1", 0, compression=None) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            host, port = server.socket.getsockname()
            yield f"ws://{host}:{port}"
        finally:
            server.shutdown()
            thread.join()


def echo(connection):
    for message in connection:
        connection.send(message)


def load(plan):
    """Run a plan; return its result."""
    ended = subprocess.run(
        [find_engine(), "load"],
        input=json.dumps({"format": 1, **plan}),
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=True,
    )
    result = json.loads(ended.stdout.splitlines()[-1])
    assert result.pop("event") == "result"
    return result


@contextmanager
def engine_serving():
    """Run the engine's server; yield its address."""
    with subprocess.Popen(
        [find_engine(), "serve", "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.terminate()


@pytest.mark.parametrize("window", [1, 8])
def test_a_closed_loop_is_answered_by_another_implementation(window):
    with peer(echo) as url:
        result = load(
            {
                "url": url,
                "connections": 4,
                "workload": {
                    "kind": "echo",
                    "window": window,
                    "payload": {"text": "grüezi"},
                    "phases": {"window_s": 0.3},
                },
            }
        )
    assert result["connections"] == 4
    assert result["failures"] == []
    assert result["echoed"] == result["sent"] > 0
    assert sum(count for _, count in result["service_time_ns"]) == result["echoed"]


@pytest.mark.parametrize(
    "schedule",
    [
        {"kind": "constant", "rate_per_s": 200},
        {"kind": "ramp", "from_per_s": 0, "to_per_s": 400, "over_s": 0.5},
        {"kind": "poisson", "rate_per_s": 200, "seed": 1},
    ],
    ids=lambda schedule: schedule["kind"],
)
def test_an_open_loop_is_answered_by_another_implementation(schedule):
    with peer(echo) as url:
        result = load(
            {
                "url": url,
                "connections": 3,
                "threads": 2,
                "workload": {
                    "kind": "bots",
                    "schedule": schedule,
                    "phases": {"window_s": 0.5},
                },
            }
        )
    assert result["failures"] == []
    assert result["unsent"] == 0
    assert result["echoed"] == result["sent"] > 0
    assert sum(count for _, count in result["lateness_ns"]) == result["sent"]


def test_receives_what_another_implementation_sends_in_fragments():
    def push(connection):
        for _ in range(100):
            connection.send(["hello", " ", "world"])
        connection.recv_streaming()

    with peer(push) as url:
        result = load(
            {
                "url": url,
                "workload": {
                    "kind": "receive",
                    "messages": 100,
                    "payload": {"text": "hello world"},
                },
            }
        )
    assert (result["messages"], result["wrong"]) == (100, 0)
    assert result["ended"] == "complete"


@pytest.mark.parametrize(
    "message",
    ["", "grüezi", b"", b"\x00" * 65_536, "a" * 1_000_000],
    ids=["empty text", "utf-8", "empty binary", "64 KiB", "1 MB"],
)
def test_echoes_a_message_unchanged(message):
    with engine_serving() as url, connect(f"{url}/echo", max_size=None) as connection:
        connection.send(message)
        assert connection.recv(timeout=LIMIT_S) == message
        connection.ping().wait(LIMIT_S)


def test_pushes_to_another_implementation():
    with engine_serving() as url, connect(f"{url}/1000") as connection:
        messages = [connection.recv(timeout=LIMIT_S) for _ in range(1000)]
    assert set(messages) == {"hello world"}
    assert connection.protocol.close_code == 1000
