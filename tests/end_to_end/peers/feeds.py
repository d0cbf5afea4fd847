"""The messages of feeds, encoded according to docs/published.md."""

import json
import struct
import time

KINDS = ["hello", "sequence", "clock", "stocks"]
ENCODINGS = ["json", "binary"]
NAMES = ["open", "high", "low", "close", "volume"]
RECORD = struct.Struct(">ddddQ")
HEAD = struct.Struct(">QQI")


def encode(kind, encoding, number, *, time_ns=None, stocks=1):
    """Return message ``number`` of a feed; ``time_ns`` defaults to the present."""
    time_ns = time.monotonic_ns() if time_ns is None else time_ns
    records = [(1.5, 2.5, 0.5, 1.25, 1000 + index) for index in range(stocks)]
    if kind == "stocks":
        if encoding == "binary":
            head = HEAD.pack(number, time_ns, stocks)
            return head + b"".join(RECORD.pack(*record) for record in records)
        rows = [dict(zip(NAMES, record, strict=True)) for record in records]
        document = {"sequence": number, "time_ns": time_ns, "stocks": rows}
        return json.dumps(document, separators=(",", ":"))
    if kind == "hello":
        return b"hello world" if encoding == "binary" else "hello world"
    value = {"sequence": number, "clock": time_ns}[kind]
    return struct.pack(">Q", value) if encoding == "binary" else str(value)
