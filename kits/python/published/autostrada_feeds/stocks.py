"""The records of the feed of stocks: docs/published.md, section 1."""

from __future__ import annotations

import json
import re
import struct
import sys
from array import array
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

KEYS = ("open", "high", "low", "close", "volume")
HEAD = struct.Struct(">QQI")
RECORD = struct.Struct(">ddddQ")
TYPES = "ddddQ"
"""Types of the columns, as in the modules ``struct`` and ``array``."""

WORD_BYTES = 8
CSV_HEAD = "date,open,high,low,close,volume"
CSV_LINE = re.compile(
    r"[^,\n]*" + r",([0-9]{1,7}\.[0-9]{2})" * 4 + ",([0-9]{1,15})", re.ASCII
)


class Stock(NamedTuple):
    """One stock of one record."""

    open: float
    high: float
    low: float
    close: float
    volume: int

    def to_json(self) -> str:
        """Return the record as a JSON object; prices have two decimals."""
        return (
            f'{{"open":{self.open:.2f},"high":{self.high:.2f},"low":{self.low:.2f},'
            f'"close":{self.close:.2f},"volume":{self.volume}}}'
        )

    def to_bytes(self) -> bytes:
        """Return the record in binary."""
        return RECORD.pack(*self)


class Columns:
    """
    Columns of consecutive records, from which series are cut.

    Each value is formatted or packed once, not once per series that contains it.
    """

    def __init__(self, columns: list[tuple[float, ...]], bars: int) -> None:
        self.bars = bars
        self._columns = columns
        self._texts: list[list[str]] = []
        self._packed: list[bytes] = []

    def to_json(self, first: int) -> str:
        """Return the series that begins at row ``first`` as a JSON object."""
        if not self._texts:
            *prices, volumes = self._columns
            self._texts = [[f"{price:.2f}" for price in each] for each in prices]
            self._texts.append([str(volume) for volume in volumes])
        last = first + self.bars
        columns = zip(KEYS, self._texts, strict=True)
        lists = [f'"{key}":[{",".join(texts[first:last])}]' for key, texts in columns]
        return f"{{{','.join(lists)}}}"

    def to_bytes(self, first: int) -> bytes:
        """Return the series that begins at row ``first`` in binary."""
        if not self._packed:
            self._packed = [
                struct.pack(f">{len(column)}{each}", *column)
                for column, each in zip(self._columns, TYPES, strict=True)
            ]
        begin, end = WORD_BYTES * first, WORD_BYTES * (first + self.bars)
        return b"".join([column[begin:end] for column in self._packed])


class Series(NamedTuple):
    """One stock of several consecutive records, its bars."""

    columns: Columns
    first: int
    """Row at which it begins, from 0."""

    def to_json(self) -> str:
        """Return the series as a JSON object of five lists."""
        return self.columns.to_json(self.first)

    def to_bytes(self) -> bytes:
        """Return the series in binary: five columns."""
        return self.columns.to_bytes(self.first)


def choose_stocks(
    rows: Sequence[Stock], number: int, count: int, bars: int | None
) -> list[Stock] | list[Series]:
    """
    Return the stocks of message ``number``: clause 1.1.

    Each is a record if ``bars`` is None, otherwise a series of that length.
    """
    length = len(rows)
    if bars is None:
        return [rows[(number + i) % length] for i in range(count)]
    # After the last record comes the first one again.
    begin = number % length
    end = begin + min(count, length) + bars - 1
    needed = zip(*islice(cycle(rows), begin, end), strict=True)
    columns = Columns([*needed], bars)
    return [Series(columns, i % length) for i in range(count)]


def parse_stocks(text: str) -> list[Stock]:
    """Parse the content of a CSV file; raise a ValueError if it is malformed."""
    head, *lines = text.removesuffix("\n").split("\n")
    if head != CSV_HEAD or not lines:
        raise ValueError(f"must have the line {CSV_HEAD} at its head, and records")
    return [parse_record(line) for line in lines]


def parse_record(line: str) -> Stock:
    """Parse one line of a CSV file; raise a ValueError if it is malformed."""
    match = CSV_LINE.fullmatch(line)
    if match is None:
        raise ValueError(f"has a line that is no record: {line!r}")
    open_, high, low, close, volume = match.groups()
    return Stock(float(open_), float(high), float(low), float(close), int(volume))


def decode_json(message: str, bars: int | None) -> list[dict[str, Any]]:
    """
    Return all stocks of a JSON message: objects of numbers, or of lists of ``bars``.

    Raises:
        ValueError: the message is no JSON, or a stock is malformed.
    """
    try:
        stocks = json.loads(message)["stocks"]
        for stock in stocks:
            for key in KEYS:
                value = stock[key]
                if isinstance(value, list) != (bars is not None) or (
                    bars is not None and len(value) != bars
                ):
                    raise ValueError(f"{key} has another form")
    except (KeyError, TypeError) as error:
        raise ValueError(str(error)) from error
    return list(stocks)


def decode_binary(message: bytes, bars: int | None) -> list[tuple[Any, ...]]:
    """
    Return all stocks of a binary message: tuples of numbers, or of views of ``bars``.

    Raises:
        ValueError: the records are no whole number of stocks.
    """
    records = message[HEAD.size :]
    if bars is None:
        return [Stock(*record) for record in RECORD.iter_unpack(records)]
    if len(records) % (RECORD.size * bars):
        raise ValueError(f"the records are no series of {bars} bars")
    words = array("d", records)
    if sys.byteorder == "little":
        words.byteswap()
    prices = memoryview(words)
    volumes = prices.cast("B").cast("Q")
    width = len(KEYS)
    columns = [prices[at : at + bars] for at in range(0, len(words), bars)]
    columns[width - 1 :: width] = [
        volumes[at : at + bars]
        for at in range((width - 1) * bars, len(words), width * bars)
    ]
    return [*zip(*[iter(columns)] * width, strict=True)]
