"""Encodes and decodes the messages of a feed: contract, section 7."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from .variables import read_choice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .variables import Environment

KINDS = ("hello", "sequence", "clock", "stocks")
GREETING = "hello world"
NUMBER_END = 2**53
TIME_NS_END = 2**63
WORD = struct.Struct(">Q")
HEAD = struct.Struct(">QQI")
RECORD = struct.Struct(">ddddQ")
DIGITS = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)
JSON_HEAD = re.compile(
    rf'\{{"sequence":({DIGITS.pattern}),"time_ns":({DIGITS.pattern}),"stocks":\[',
    re.ASCII,
)
CSV_HEAD = "date,open,high,low,close,volume"
CSV_LINE = re.compile(
    r"[^,\n]*" + r",([0-9]{1,7}\.[0-9]{2})" * 4 + ",([0-9]{1,15})", re.ASCII
)


class WrongMessageError(Exception):
    """A message that is not a message of the feed."""


class Stock(NamedTuple):
    """One stock record."""

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


class Heading(NamedTuple):
    """Sequence number and time of a message; None if its kind has none."""

    number: int | None = None
    time_ns: int | None = None


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


@dataclass(frozen=True, slots=True)
class FeedFormat:
    """The kind and the encoding of a feed's messages."""

    kind: str
    encoding: str = "json"

    @classmethod
    def read(cls, environment: Environment) -> FeedFormat | None:
        """Read the variables of a feed; return None if FEED is not set."""
        if "FEED" not in environment:
            return None
        return cls(
            read_choice(environment, "FEED", KINDS),
            read_choice(environment, "ENCODING", ("json", "binary")),
        )

    @property
    def has_number(self) -> bool:
        """Whether a message contains its sequence number."""
        return self.kind in ("sequence", "stocks")

    @property
    def has_instant(self) -> bool:
        """Whether a message contains a time."""
        return self.kind in ("clock", "stocks")

    def encode(
        self, number: int, time_ns: int, stocks: Sequence[Stock] = ()
    ) -> str | bytes:
        """Return an encoded message. Only messages of kind stocks use the records."""
        if self.kind == "stocks":
            return self._encode_stocks(number, time_ns, stocks)
        if self.kind == "hello":
            return GREETING if self.encoding == "json" else GREETING.encode()
        value = number if self.kind == "sequence" else time_ns
        return str(value) if self.encoding == "json" else WORD.pack(value)

    def _encode_stocks(
        self, number: int, time_ns: int, stocks: Sequence[Stock]
    ) -> str | bytes:
        if self.encoding == "json":
            records = ",".join([stock.to_json() for stock in stocks])
            return f'{{"sequence":{number},"time_ns":{time_ns},"stocks":[{records}]}}'
        head = HEAD.pack(number, time_ns, len(stocks))
        return head + b"".join([RECORD.pack(*stock) for stock in stocks])

    def decode(self, message: str | bytes) -> Heading:
        """Decode a message; raise WrongMessageError if it is not of this feed."""
        if isinstance(message, str) != (self.encoding == "json"):
            raise WrongMessageError
        if self.kind == "hello":
            if message not in (GREETING, GREETING.encode()):
                raise WrongMessageError
            return Heading()
        if self.kind == "stocks":
            heading = _decode_stocks(message)
        elif self.kind == "sequence":
            heading = Heading(number=_decode_value(message))
        else:
            heading = Heading(time_ns=_decode_value(message))
        if (heading.number or 0) >= NUMBER_END or (heading.time_ns or 0) >= TIME_NS_END:
            raise WrongMessageError
        return heading


def _decode_value(message: str | bytes) -> int:
    if isinstance(message, str):
        if not DIGITS.fullmatch(message):
            raise WrongMessageError
        return int(message)
    if len(message) != WORD.size:
        raise WrongMessageError
    return int.from_bytes(message, "big")


def _decode_stocks(message: str | bytes) -> Heading:
    if isinstance(message, str):
        match = JSON_HEAD.match(message)
        if match is None or not message.endswith("]}"):
            raise WrongMessageError
        return Heading(int(match[1]), int(match[2]))
    if len(message) < HEAD.size:
        raise WrongMessageError
    number, time_ns, count = HEAD.unpack_from(message)
    if len(message) != HEAD.size + count * RECORD.size:
        raise WrongMessageError
    return Heading(number, time_ns)
