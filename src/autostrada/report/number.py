"""Numbers as people read them: few digits, separated thousands, a unit."""

DASH = "\N{EN DASH}"
TIMES = "\N{MULTIPLICATION SIGN}"
THIN_SPACE = "\N{NARROW NO-BREAK SPACE}"
"""Between thousands and before units, so that a number is never torn apart."""


def decimals(value: float) -> int:
    """Return how many decimal places leave about three digits that mean something."""
    if value >= 100:
        return 0
    if value >= 10:
        return 1
    return 2


def plain(value: float, places: int | None = None) -> str:
    """Write a number with separated thousands, by default with about three digits."""
    if places is None:
        places = decimals(abs(value))
    return f"{value:,.{places}f}".replace(",", THIN_SPACE)


def between(low: float, high: float, *, like: float) -> str:
    """Write two bounds with as many decimal places as the figure they belong to."""
    places = decimals(like)
    return f"{plain(low, places)}{DASH}{plain(high, places)}"


def times(ratio: float) -> str:
    """Write a ratio, with the sign of multiplication behind it."""
    return f"{plain(ratio)}{TIMES}"


def percent(share: float, places: int = 0) -> str:
    """Write a share in [0, 1] in hundredths."""
    return f"{plain(100 * share, places)}%"


def confidence(share: float) -> str:
    """Write a confidence, cut off and not rounded: it must not look higher."""
    tenths = int(share * 1000 + 1e-9) / 10
    return f"{tenths:.1f}%" if tenths % 1 else percent(tenths / 100)


def rate(per_s: float) -> str:
    """Write a rate: 4.72 M, or in thousands and less where it is slower."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if per_s >= size:
            return f"{plain(per_s / size)}{THIN_SPACE}{unit}"
    return plain(per_s)


def size(bytes_: float) -> str:
    """Write a size in the binary unit that leaves the fewest digits."""
    for unit, unit_bytes in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if bytes_ >= unit_bytes:
            return f"{plain(bytes_ / unit_bytes)}{THIN_SPACE}{unit}"
    return f"{plain(bytes_, 0)}{THIN_SPACE}bytes"


def count(number: int, noun: str) -> str:
    """Write a number of things: 1 repetition, 5 repetitions."""
    return f"{plain(number, 0)} {noun}{'' if number == 1 else 's'}"
