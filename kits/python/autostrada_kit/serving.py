"""Reads the environment variables of a server: contract, section 8."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from .feed import FeedFormat
from .stocks import choose_stocks, parse_stocks
from .variables import (
    SettingsError,
    read,
    read_choice,
    read_count,
    read_interval_ns,
    read_or_exit,
    read_time_ns,
)

if TYPE_CHECKING:
    from .stocks import Series, Stock
    from .variables import Environment

PORT_MAX = 65_535
STOCKS_MAX = 1_000_000
PACES = ("paced", "unpaced", "dropping")
TURN_MESSAGES = 64
"""
Messages of a paced feed after which an event loop runs other tasks.

A library's send may complete without giving other tasks a turn.
"""


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
        """Whether the library may drop messages by default: contract, clause 8.13."""
        return self.pace == "dropping"

    @property
    def is_paced(self) -> bool:
        """Whether the slowest subscriber limits the send rate: contract, clause 8.7."""
        return self.every_ns is None and self.pace == "paced"

    @property
    def turn_messages(self) -> int:
        """Number of messages after which an event loop runs other tasks."""
        return TURN_MESSAGES if self.pace == "paced" else 1

    @classmethod
    def read(cls, environment: Environment) -> FeedSettings | None:
        """Read the variables of a feed; return None if FEED is not set."""
        feed = FeedFormat.read(environment)
        if feed is None:
            return None
        is_timed = "SECONDS" in environment
        if is_timed == ("MESSAGES" in environment):
            raise SettingsError("MESSAGES or SECONDS: set exactly one of them")
        stocks = read_count(environment, "STOCKS", "1")
        if stocks > STOCKS_MAX:
            raise SettingsError(f"STOCKS must be at most {STOCKS_MAX}, not {stocks}")
        settings = cls(
            format=feed,
            stocks=stocks,
            stocks_file=Path(read(environment, "STOCKS_FILE"))
            if feed.kind == "stocks"
            else None,
            subscribers=read_count(environment, "SUBSCRIBERS", "1"),
            every_ns=read_interval_ns(environment)
            if "EVERY_MS" in environment
            else None,
            duration_ns=read_time_ns(environment, "SECONDS") if is_timed else None,
            messages=None if is_timed else read_count(environment, "MESSAGES"),
            pace=read_choice(environment, "PACE", PACES),
        )
        settings.check_stocks_file()
        return settings

    def stocks_of_message(self, number: int) -> list[Stock] | list[Series]:
        """Read the file again and return the stocks of a message: clause 7.1."""
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


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerSettings:
    """Settings of a server."""

    host: str
    port: int
    tls_cert: str | None = None
    tls_key: str | None = None
    workers: int = 1
    deflate: bool = False
    feed: FeedSettings | None = None
    payload_bytes_max: ClassVar[int] = 16 * 1024 * 1024
    """Largest payload that a server must accept, whatever its library's default."""

    @classmethod
    def from_environment(cls) -> ServerSettings:
        """Read the environment variables; exit with status 2 if one is wrong."""
        return read_or_exit(cls.read)

    @classmethod
    def read(cls, environment: Environment) -> ServerSettings:
        """Read a server's variables; raise a SettingsError that names a wrong one."""
        port = read_count(environment, "PORT")
        if port > PORT_MAX:
            raise SettingsError(f"PORT must be at most {PORT_MAX}, not {port}")
        for one, other in [("TLS_CERT", "TLS_KEY"), ("TLS_KEY", "TLS_CERT")]:
            if one in environment and other not in environment:
                raise SettingsError(f"{other} is missing: {one} is set")
        settings = cls(
            host=read(environment, "HOST", "127.0.0.1"),
            port=port,
            tls_cert=environment.get("TLS_CERT"),
            tls_key=environment.get("TLS_KEY"),
            workers=read_count(environment, "WORKERS", "1"),
            deflate=bool(read_choice(environment, "COMPRESSION", ("", "deflate"))),
            feed=FeedSettings.read(environment),
        )
        settings.check_tls()
        return settings

    def tls_context(self) -> ssl.SSLContext | None:
        """Return the TLS context of the certificate and key; None without TLS."""
        if self.tls_cert is None:
            return None
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(self.tls_cert, self.tls_key)
        return context

    def check_tls(self) -> None:
        """Raise a SettingsError if the certificate or the key cannot be read."""
        try:
            self.tls_context()
        except OSError as error:
            reason = f"TLS_CERT and TLS_KEY must be a certificate and its key: {error}"
            raise SettingsError(reason) from error
