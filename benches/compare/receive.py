"""Receiving, compared with a loop that only calls ``read()``."""

from functools import partial

from .bench import BINARIES, BenchSetup
from .table import ENGINE, Bar, Rows, alternate, speed, speed_row

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
    samples = alternate(what, bench, contenders)
    decoder = speed(DECODER, samples[DECODER])
    yield speed_row(what, samples, "read()", READ_BAR, [decoder])


def raw_read_ns(bench: BenchSetup) -> float:
    """Measure the loop that only reads."""
    messages = bench.sizes.receive_messages
    with bench.serving() as url:
        address = url.removeprefix("ws://")
        last = bench.run(BINARIES / "raw-read", address, messages, FRAME_BYTES)
    return float(last) / messages


def engine_ns(bench: BenchSetup, *, has_payload: bool = True) -> float:
    """Measure the engine's client; without the payload it decodes every frame."""
    messages = bench.sizes.receive_messages
    workload: dict[str, object] = {"kind": "receive", "messages": messages}
    if has_payload:
        workload["payload"] = {"text": PAYLOAD}
    with bench.serving() as url:
        result = bench.load({"url": f"{url}/{messages}", "workload": workload})
    duration_ns: int = result["received_ns"] - result["opened_ns"]
    return duration_ns / messages
