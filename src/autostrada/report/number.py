"""Formatting of numbers for readers: few digits, thousands separators and units."""

from decimal import Decimal
from math import floor, log10

DASH = "\N{EN DASH}"
TIMES = "\N{MULTIPLICATION SIGN}"
THIN_SPACE = "\N{NARROW NO-BREAK SPACE}"
"""Precedes units, so that no line break separates a number from its unit."""

SIZES = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
"""Binary units, the largest first: bytes and name."""


def decimals(value: float) -> int:
    """Return the decimal places for about three significant digits, at least two."""
    if value >= 100:
        return 0
    if value >= 10:
        return 1
    return 1 - floor(log10(value)) if 0 < value < 0.1 else 2


def exact(value: float) -> str:
    """Format a number with all its digits: ``512,224`` or ``0.0002074``."""
    written = Decimal(repr(value))
    if written == written.to_integral_value():
        written = written.to_integral_value()
    return f"{written:,f}"


def plain(value: float, places: int | None = None) -> str:
    """Format a number with thousands separators, by default with about three digits."""
    if places is None:
        places = decimals(abs(value))
    return f"{value:,.{places}f}"


def between(low: float, high: float, *, like: float) -> str:
    """Format two bounds with the number of decimal places that ``like`` has."""
    places = decimals(like)
    return f"{plain(low, places)}{DASH}{plain(high, places)}"


def times(ratio: float) -> str:
    """Format a ratio with a trailing multiplication sign: ``1.25×``."""
    return f"{plain(ratio) if ratio else 0}{TIMES}"


def percent(share: float, places: int = 0) -> str:
    """Format a share in [0, 1] as a percentage."""
    return f"{plain(100 * share, places)}%"


def confidence(share: float) -> str:
    """Format a confidence in [0, 1], rounded down so that it never looks higher."""
    tenths = int(share * 1000 + 1e-9) / 10
    return f"{tenths:.1f}%" if tenths % 1 else percent(tenths / 100)


def rate(per_s: float) -> str:
    """Format a rate per second with an SI prefix: ``4.72 M``, ``830 k`` or ``95.0``."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if per_s >= size:
            return f"{plain(per_s / size)}{THIN_SPACE}{unit}"
    return plain(per_s)


def size(bytes_: float) -> str:
    """Format a size in bytes with the largest binary unit that does not exceed it."""
    for unit_bytes, unit in SIZES:
        if bytes_ >= unit_bytes:
            return f"{plain(bytes_ / unit_bytes)}{THIN_SPACE}{unit}"
    return f"{plain(bytes_, 0)}{THIN_SPACE}bytes"


def minutes(duration_s: float) -> str:
    """Format a duration in whole minutes, at least one: ``15 minutes``."""
    return count(max(1, round(duration_s / 60)), "minute")


def count(number: int, noun: str) -> str:
    """Format a count with its noun: ``1 repetition``, ``5 repetitions``."""
    return f"{plain(number, 0)} {noun}{'' if number == 1 else 's'}"
