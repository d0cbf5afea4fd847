"""The lines of a load: their keys, once per second, and after an interruption."""

import os
import signal

import pytest
from peers.engine import INTERRUPTED, count, load, load_lines, running
from peers.websocket import echo, idle, ticking, websocket_peer

RESULT = {
    "event",
    "connections",
    "messages",
    "bytes",
    "opened_ns",
    "received_ns",
    "wrong",
    "read_bytes",
    "read_calls",
    "written_bytes",
    "write_calls",
    "connect_tcp_time_ns",
    "connect_tls_time_ns",
    "connect_tls_resumed_time_ns",
    "connect_upgrade_time_ns",
    "connect_response_time_ns",
    "failures",
    "tls",
    "subprotocols",
    "compression",
    "busy_shares",
    "window_start_ns",
    "window_ns",
    "ended",
    "generator_limited",
    "answered",
    "exchange",
    "sequence",
    "delivery_time_ns",
    "regularity",
    "fan_out_skew",
    "slow",
    "recovery",
}
SECOND = {
    "event",
    "second",
    "messages",
    "bytes",
    "sent",
    "opened",
    "closed",
    "read_bytes",
    "written_bytes",
    "gaps",
    "missing",
    "duplicates",
    "reordered",
    "wrong",
    "failures",
    "response_time_ns",
    "service_time_ns",
    "send_delay_ns",
    "delivery_time_ns",
}
EXCHANGE = {
    "sent",
    "echoed",
    "unsent",
    "overdue",
    "offered_rate_per_s",
    "achieved_rate_per_s",
    "achieved_share",
    "completed",
    "backlog",
    "response_time_ns",
    "service_time_ns",
    "send_delay_ns",
}
SPECIAL = {"answered", "exchange", "slow", "recovery"}
PHASES = {"window_s": 0.2}
SCHEDULE = {"kind": "constant", "rate_per_s": 50}
WORKLOADS = (
    ("receive", {"messages": 5}, set()),
    ("echo", {"phases": PHASES}, {"exchange"}),
    ("echo", {"schedule": SCHEDULE, "phases": PHASES}, {"exchange"}),
    ("answer", {"phases": PHASES}, {"answered"}),
    ("connect", {"phases": PHASES}, set()),
    ("slow-consumer", {"slow": {"share": 0.5}, "phases": PHASES}, {"slow"}),
    ("reconnect", {"phases": PHASES}, {"recovery"}),
)


def handler_of(kind):
    pushes = kind in ("receive", "slow-consumer")
    return ticking(str, every_s=0.01) if pushes else echo


@pytest.mark.parametrize(("kind", "settings", "special"), WORKLOADS)
def test_a_result_has_all_keys_and_no_others(kind, settings, special):
    with websocket_peer(handler_of(kind)) as url:
        result = load(url=url, connections=2, workload={"kind": kind} | settings)
    assert set(result) == RESULT
    assert {key for key in SPECIAL if result[key] is not None} == special
    if "exchange" in special:
        assert set(result["exchange"]) == EXCHANGE


def test_each_second_has_a_line():
    workload = {"kind": "echo", "phases": {"window_s": 2.2}}
    with websocket_peer(echo) as url:
        *seconds, result = load_lines(url=url, connections=2, workload=workload)
    assert [line["event"] for line in seconds] == ["second"] * len(seconds)
    assert [line["second"] for line in seconds] == list(range(len(seconds)))
    assert len(seconds) >= 2
    assert all(set(line) == SECOND for line in seconds)
    assert seconds[0]["opened"] == 2
    for key in ("messages", "bytes", "read_bytes", "written_bytes"):
        assert 0 < sum(line[key] for line in seconds) <= result[key], key
    assert sum(line["sent"] for line in seconds) <= result["exchange"]["sent"]
    for line in seconds:
        assert count(line["service_time_ns"]) > 0
        assert (line["wrong"], line["failures"]) == (0, 0)


@pytest.mark.parametrize("kind", ["echo", "connect", "receive"])
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interrupted_load_prints_its_result(kind, name):
    close_codes = []

    async def serve(connection):
        await (idle if kind == "connect" else echo)(connection)
        close_codes.append(connection.close_code)

    workload = {"kind": kind, "phases": {"window_s": 60}}
    with websocket_peer(serve) as url:
        plan = {"url": url, "connections": 2, "workload": workload}
        with running("load", **plan) as engine:
            assert engine.line()["event"] == "second"
            os.kill(engine.pid, getattr(signal, name))
            result = engine.result()
            status = engine.wait()
    assert status == INTERRUPTED
    assert result["ended"] == "interrupted"
    assert result["connections"] == 2
    assert 0 < result["window_ns"] < 60e9
    assert close_codes == [1000, 1000]
