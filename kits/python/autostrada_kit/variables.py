"""Reads and validates single environment variables."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Settings = TypeVar("Settings")

    # The process's environment, or that of a test.
    Environment = Mapping[str, str]


class SettingsError(Exception):
    """A missing or wrong environment variable."""


def read_or_exit(read_from: Callable[[Environment], Settings]) -> Settings:
    """Read settings; if a variable is wrong, exit with status 2 and the reason."""
    try:
        return read_from(os.environ)
    except SettingsError as error:
        print(error, file=sys.stderr)
        raise SystemExit(2) from None


def choose(variable: str, *choices: str) -> str:
    """Return a variable with a fixed set of values; the first is the default."""
    return read_or_exit(lambda environment: read_choice(environment, variable, choices))


def read_url(environment: Environment) -> str:
    """Read URL, the server's address."""
    url = read(environment, "URL")
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("ws", "wss") and parts.hostname and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid:
        raise SettingsError(f"URL must be like ws://127.0.0.1:8008/1000, not {url!r}")
    return url


def read_count(
    environment: Environment,
    variable: str,
    default: str | None = None,
    *,
    maximum: int = 10**15 - 1,
) -> int:
    """Read a whole number from 1 to ``maximum``."""
    value = read(environment, variable, default)
    if not re.fullmatch("[1-9][0-9]{0,14}", value) or int(value) > maximum:
        numbers = f"a whole number from 1 to {maximum}"
        raise SettingsError(f"{variable} must be {numbers}, not {value!r}")
    return int(value)


def read_choice(
    environment: Environment, variable: str, choices: tuple[str, ...]
) -> str:
    """Read a variable with a fixed set of values; the first is the default."""
    value = read(environment, variable, choices[0])
    if value not in choices:
        raise SettingsError(f"{variable} must be {' or '.join(choices)}, not {value!r}")
    return value


def read(environment: Environment, variable: str, default: str | None = None) -> str:
    """Read a variable; without a default it is required."""
    value = environment.get(variable, default)
    if value is None:
        raise SettingsError(f"{variable} is missing: set it in the environment")
    return value
