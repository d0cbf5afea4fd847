"""Reads what the environment asks of a client: contract, sections 3 and 5."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping


class SettingsError(Exception):
    """The environment does not say what to do."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """What the environment asks of a client that receives."""

    url: str
    messages: int
    connections: int = 1
    lines: str = "json"

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Settings:
        """Read the client's variables, or raise a SettingsError that names one."""
        return cls(
            url=_read_url(environment),
            messages=_read_count(environment, "MESSAGES"),
            connections=_read_count(environment, "CONNECTIONS", "1"),
            lines=_read_choice(environment, "LINES", ("json", "autoroute")),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class EchoSettings:
    """What the environment asks of a client that exchanges echoes."""

    url: str
    window_ns: int
    warm_up_ns: int = 0
    connections: int = 1
    payload: str = "hello world"

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> EchoSettings:
        """Read the client's variables, or raise a SettingsError that names one."""
        window_ns = _read_duration_ns(environment, "WINDOW_S")
        if window_ns == 0:
            raise SettingsError("WINDOW_S must be more than 0: nothing would count")
        return cls(
            url=_read_url(environment),
            window_ns=window_ns,
            warm_up_ns=_read_duration_ns(environment, "WARM_UP_S", "0"),
            connections=_read_count(environment, "CONNECTIONS", "1"),
            payload=_read(environment, "PAYLOAD", "hello world"),
        )


def choose(variable: str, *choices: str) -> str:
    """Return the value of a variable of few values; the first is the default."""
    try:
        return _read_choice(os.environ, variable, choices)
    except SettingsError as error:
        exit_with(error)


def exit_with(error: SettingsError) -> NoReturn:
    """Exit because of a mistake in the environment."""
    print(error, file=sys.stderr)
    raise SystemExit(2)


def _read_url(environment: Mapping[str, str]) -> str:
    url = _read(environment, "URL")
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("ws", "wss") and parts.hostname and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid:
        raise SettingsError(f"URL must be like ws://127.0.0.1:8008/1000, not {url!r}")
    return url


def _read_count(
    environment: Mapping[str, str], variable: str, default: str | None = None
) -> int:
    value = _read(environment, variable, default)
    if not re.fullmatch("[1-9][0-9]{0,14}", value):
        raise SettingsError(f"{variable} must be a whole number from 1, not {value!r}")
    return int(value)


def _read_duration_ns(
    environment: Mapping[str, str], variable: str, default: str | None = None
) -> int:
    value = _read(environment, variable, default)
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,9})?", value):
        raise SettingsError(f"{variable} must be seconds like 2 or 0.5, not {value!r}")
    return int(Decimal(value) * 1_000_000_000)


def _read_choice(
    environment: Mapping[str, str], variable: str, choices: tuple[str, ...]
) -> str:
    value = _read(environment, variable, choices[0])
    if value not in choices:
        raise SettingsError(f"{variable} must be {' or '.join(choices)}, not {value!r}")
    return value


def _read(
    environment: Mapping[str, str], variable: str, default: str | None = None
) -> str:
    value = environment.get(variable, default)
    if value is None:
        raise SettingsError(f"{variable} is missing: set it in the environment")
    return value
