"""Reads the variables of a feed, and of its clients: docs/published.md."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from autostrada_kit.variables import (
    SettingsError,
    read,
    read_choice,
    read_count,
    read_or_exit,
    read_url,
)

from .feed import FeedFormat
from .stocks import choose_stocks, parse_stocks

if TYPE_CHECKING:
    from autostrada_kit.variables import Environment

    from .stocks import Series, Stock

STOCKS_MAX = 1_000_000
PACES = ("paced", "unpaced", "dropping")
TURN_MESSAGES = 64
"""
Messages of a paced feed after which an event loop runs other tasks.

A library's send may complete without giving other tasks a turn.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReceiverSettings:
    """Settings of a client that receives a feed."""

    url: str
    feed: FeedFormat
    connections: int = 1
    messages: int | None = None
    """Messages of each connection; None: until the server closes."""
    duration_ns: int | None = None
    """How long to receive after the first message; None: until the feed ends."""

    @classmethod
    def read(cls, environment: Environment) -> ReceiverSettings:
        """Read a client's variables; raise a SettingsError that names a wrong one."""
        return cls(
            url=read_url(environment),
            feed=FeedFormat.read(environment),
            connections=read_count(environment, "CONNECTIONS", "1"),
            messages=read_count(environment, "MESSAGES")
            if "MESSAGES" in environment
            else None,
            duration_ns=read_time_ns(environment, "SECONDS", 6, 9)
            if "SECONDS" in environment
            else None,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class FeedSettings:
    """Settings of a feed."""

    format: FeedFormat
    stocks: int = 1
    stocks_file: Path | None = None
    subscribers: int = 1
    every_ns: int | None = None
    """Interval between messages, in nanoseconds; None: continuous."""
    duration_ns: int | None = None
    messages: int | None = None
    pace: str = "paced"
    """Whether a continuous feed waits for the slowest subscriber (``paced``)."""

    @property
    def is_dropping(self) -> bool:
        """Whether the library may drop messages by default."""
        return self.pace == "dropping"

    @property
    def is_paced(self) -> bool:
        """Whether the slowest subscriber limits the send rate."""
        return self.every_ns is None and self.pace == "paced"

    @property
    def turn_messages(self) -> int:
        """Number of messages after which an event loop runs other tasks."""
        return TURN_MESSAGES if self.pace == "paced" else 1

    @classmethod
    def from_environment(cls) -> FeedSettings:
        """Read the environment variables; exit with status 2 if one is wrong."""
        return read_or_exit(cls.read)

    @classmethod
    def read(cls, environment: Environment) -> FeedSettings:
        """Read the variables of a feed; raise a SettingsError if one is wrong."""
        feed = FeedFormat.read(environment)
        is_timed = "SECONDS" in environment
        if is_timed == ("MESSAGES" in environment):
            raise SettingsError("MESSAGES or SECONDS: set exactly one of them")
        settings = cls(
            format=feed,
            stocks=read_count(environment, "STOCKS", "1", maximum=STOCKS_MAX),
            stocks_file=Path(read(environment, "STOCKS_FILE"))
            if feed.kind == "stocks"
            else None,
            subscribers=read_count(environment, "SUBSCRIBERS", "1"),
            every_ns=read_time_ns(environment, "EVERY_MS", 7, 6)
            if "EVERY_MS" in environment
            else None,
            duration_ns=read_time_ns(environment, "SECONDS", 6, 9)
            if is_timed
            else None,
            messages=None if is_timed else read_count(environment, "MESSAGES"),
            pace=read_choice(environment, "PACE", PACES),
        )
        settings.check_stocks_file()
        return settings

    def stocks_of_message(self, number: int) -> list[Stock] | list[Series]:
        """Read the file again and return the stocks of a message: clause 1.1."""
        if self.stocks_file is None:
            return []
        # Only a line feed ends a line.
        text = self.stocks_file.read_text(encoding="utf-8")
        return choose_stocks(parse_stocks(text), number, self.stocks, self.format.bars)

    def check_stocks_file(self) -> None:
        """Raise a SettingsError if the records cannot be read."""
        try:
            self.stocks_of_message(0)
        except (OSError, ValueError) as error:
            raise SettingsError(f"STOCKS_FILE {error}") from error


def read_time_ns(
    environment: Environment, variable: str, digits: int, decimals: int
) -> int:
    """Read a time with so many digits before and after its point, in nanoseconds."""
    value = read(environment, variable)
    form = rf"[0-9]{{1,{digits}}}(\.[0-9]{{1,{decimals}}})?"
    if not re.fullmatch(form, value) or Decimal(value) == 0:
        raise SettingsError(f"{variable} must be a time like 2 or 0.5, not {value!r}")
    return int(Decimal(value).scaleb(decimals))
