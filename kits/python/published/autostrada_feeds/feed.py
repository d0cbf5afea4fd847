"""Encodes and decodes the messages of a feed: docs/published.md, section 1."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from autostrada_kit.variables import read, read_choice, read_count

from .stocks import HEAD, RECORD, decode_binary, decode_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autostrada_kit.variables import Environment

    from .stocks import Series, Stock

KINDS = ("hello", "sequence", "clock", "stocks")
BARS_MAX = 10_000
GREETING = "hello world"
NUMBER_END = 2**53
TIME_NS_END = 2**63
WORD = struct.Struct(">Q")
DIGITS = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)
JSON_HEAD = re.compile(
    rf'\{{"sequence":({DIGITS.pattern}),"time_ns":({DIGITS.pattern}),"stocks":\[',
    re.ASCII,
)


class WrongMessageError(Exception):
    """A message that is not a message of the feed."""


class Heading(NamedTuple):
    """Sequence number and time of a message; None if its kind has none."""

    number: int | None = None
    time_ns: int | None = None


@dataclass(frozen=True, slots=True)
class FeedFormat:
    """The kind and the encoding of a feed's messages."""

    kind: str
    encoding: str = "json"
    bars: int | None = None
    """Length of a stock's series; None if a stock is a single record."""
    is_decoded: bool = False
    """Whether a receiver decodes all stocks, not only what precedes them."""

    @classmethod
    def read(cls, environment: Environment) -> FeedFormat:
        """Read the variables of a feed; raise a SettingsError if one is wrong."""
        read(environment, "FEED")  # It has no default.
        return cls(
            read_choice(environment, "FEED", KINDS),
            read_choice(environment, "ENCODING", ("json", "binary")),
            read_count(environment, "BARS", maximum=BARS_MAX)
            if "BARS" in environment
            else None,
            bool(read_choice(environment, "DECODE", ("", "whole"))),
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
        self, number: int, time_ns: int, stocks: Sequence[Stock | Series] = ()
    ) -> str | bytes:
        """Return an encoded message. Only messages of kind stocks use the stocks."""
        if self.kind == "stocks":
            return self._encode_stocks(number, time_ns, stocks)
        if self.kind == "hello":
            return GREETING if self.encoding == "json" else GREETING.encode()
        value = number if self.kind == "sequence" else time_ns
        return str(value) if self.encoding == "json" else WORD.pack(value)

    def _encode_stocks(
        self, number: int, time_ns: int, stocks: Sequence[Stock | Series]
    ) -> str | bytes:
        if self.encoding == "json":
            records = ",".join([stock.to_json() for stock in stocks])
            return f'{{"sequence":{number},"time_ns":{time_ns},"stocks":[{records}]}}'
        head = HEAD.pack(number, time_ns, len(stocks) * (self.bars or 1))
        return head + b"".join([stock.to_bytes() for stock in stocks])

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
            if self.is_decoded:
                self._decode_all(message)
        elif self.kind == "sequence":
            heading = Heading(number=_decode_value(message))
        else:
            heading = Heading(time_ns=_decode_value(message))
        if (heading.number or 0) >= NUMBER_END or (heading.time_ns or 0) >= TIME_NS_END:
            raise WrongMessageError
        return heading

    def _decode_all(self, message: str | bytes) -> None:
        try:
            if isinstance(message, str):
                decode_json(message, self.bars)
            else:
                decode_binary(message, self.bars)
        except ValueError:
            raise WrongMessageError from None


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
