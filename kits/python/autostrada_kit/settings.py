"""Reads the environment variables of a client: contract, sections 3, 5 and 7."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .feed import FeedFormat
from .variables import (
    read,
    read_choice,
    read_count,
    read_duration_ns,
    read_time_ns,
    read_url,
)

if TYPE_CHECKING:
    from .variables import Environment


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Settings of a client that receives."""

    url: str
    messages: int | None
    """Messages per connection; None: until the server closes."""
    connections: int = 1
    lines: str = "json"
    feed: FeedFormat | None = None
    duration_ns: int | None = None
    """How long to receive a feed after its first message; None: until it ends."""

    @classmethod
    def read(cls, environment: Environment) -> Settings:
        """Read a client's variables; raise a SettingsError that names a wrong one."""
        feed = FeedFormat.read(environment)
        is_unlimited = feed is not None and "MESSAGES" not in environment
        return cls(
            url=read_url(environment),
            messages=None if is_unlimited else read_count(environment, "MESSAGES"),
            connections=read_count(environment, "CONNECTIONS", "1"),
            lines="json"
            if feed
            else read_choice(environment, "LINES", ("json", "autoroute")),
            feed=feed,
            duration_ns=read_time_ns(environment, "SECONDS")
            if feed and "SECONDS" in environment
            else None,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class EchoSettings:
    """Settings of a client that exchanges echoes."""

    url: str
    window_ns: int
    warm_up_ns: int = 0
    connections: int = 1
    payload: str = "hello world"

    @classmethod
    def read(cls, environment: Environment) -> EchoSettings:
        """Read a client's variables; raise a SettingsError that names a wrong one."""
        return cls(
            window_ns=read_time_ns(environment, "WINDOW_S"),
            url=read_url(environment),
            warm_up_ns=read_duration_ns(environment, "WARM_UP_S", "0"),
            connections=read_count(environment, "CONNECTIONS", "1"),
            payload=read(environment, "PAYLOAD", "hello world"),
        )
