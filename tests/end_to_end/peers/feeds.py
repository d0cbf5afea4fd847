"""The messages of feeds, encoded and decoded according to docs/published.md."""

import json
import struct
import time
from dataclasses import dataclass

KINDS = ["hello", "sequence", "clock", "stocks"]
ENCODINGS = ["json", "binary"]
NAMES = ["open", "high", "low", "close", "volume"]
RECORD = struct.Struct(">ddddQ")
HEAD = struct.Struct(">QQI")


@dataclass
class Item:
    """The sequence number and the time in a message of a feed."""

    number: int | None = None
    time_ns: int | None = None
    stocks: list | None = None


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


def decode(kind, encoding, message):
    """Return the content of a message, which must have exactly the right length."""
    assert isinstance(message, bytes if encoding == "binary" else str)
    if kind == "hello":
        assert message in ("hello world", b"hello world")
        return Item()
    if kind == "stocks":
        return decode_stocks(encoding, message)
    value = int(message) if encoding == "json" else struct.unpack(">Q", message)[0]
    return Item(number=value) if kind == "sequence" else Item(time_ns=value)


def decode_stocks(encoding, message):
    if encoding == "binary":
        number, time_ns, stocks = HEAD.unpack_from(message)
        assert len(message) == HEAD.size + stocks * RECORD.size
        rows = [
            dict(zip(NAMES, record, strict=True))
            for record in RECORD.iter_unpack(message[HEAD.size :])
        ]
        return Item(number, time_ns, rows)
    document = json.loads(message)
    assert list(document) == ["sequence", "time_ns", "stocks"]
    return Item(document["sequence"], document["time_ns"], document["stocks"])
