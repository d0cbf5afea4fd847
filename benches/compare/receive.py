"""Receiving, compared with a loop that only calls ``read()``."""

from functools import partial

from .bench import BINARIES, BenchSetup
from .table import ENGINE, Bar, Rows, alternate, speed_row

MESSAGES = 100_000_000
PAYLOAD = "hello world"
FRAME_BYTES = 2 + len(PAYLOAD)
DECODER = "engine, without a payload to expect"
READ_BAR = Bar(relation="≥", value=0.8)


def receive_rows(bench: BenchSetup) -> Rows:
    """Measure the loop, the engine, and the engine without a known payload."""
    contenders = {
        ENGINE: partial(engine_ns, bench),
        "read()": partial(raw_read_ns, bench),
        DECODER: partial(engine_ns, bench, has_payload=False),
    }
    what = f"receive, {len(PAYLOAD)}-byte messages, one core, beside read()"
    yield speed_row(what, alternate(what, bench, contenders), "read()", READ_BAR)


def raw_read_ns(bench: BenchSetup) -> float:
    """Measure the loop that only reads."""
    with bench.serving() as url:
        address = url.removeprefix("ws://")
        last = bench.run(BINARIES / "raw-read", address, MESSAGES, FRAME_BYTES)
    return float(last) / MESSAGES


def engine_ns(bench: BenchSetup, *, has_payload: bool = True) -> float:
    """Measure the engine's client; without the payload it decodes every frame."""
    workload: dict[str, object] = {"kind": "receive", "messages": MESSAGES}
    if has_payload:
        workload["payload"] = {"text": PAYLOAD}
    with bench.serving() as url:
        result = bench.load({"url": f"{url}/{MESSAGES}", "workload": workload})
    duration_ns: int = result["received_ns"] - result["opened_ns"]
    return duration_ns / MESSAGES
