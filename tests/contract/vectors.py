"""
Writes kits/vectors.json, the test vectors of feeds, computed as simply as possible.

This code is independent of the engine and of published programs, whose tests read the
file. Run it after a change of docs/published.md and review the difference::

    python3 tests/contract/vectors.py
"""

import functools
import json
import struct
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "kits"
KEYS = ("open", "high", "low", "close", "volume")
NUMBERS = (0, 9, 42, 2**32, 2**53 - 1)
INSTANTS_NS = (0, 1_234_567_890_123, 2**53 + 1, 2**63 - 1)
REMEMBERED = 128
GAP_MAX = 2**32


@functools.cache
def rows():
    """Return the records of stocks.csv as rows of text fields."""
    lines = (FOLDER / "stocks.csv").read_text().splitlines()[1:]
    return [line.split(",")[1:] for line in lines]


def stocks_of_message(number, count):
    given = rows()
    return [given[(number + index) % len(given)] for index in range(count)]


def series_of_message(number, count, bars):
    """Return each stock as its five columns of text fields."""
    return [
        list(zip(*stocks_of_message(number + index, bars), strict=True))
        for index in range(count)
    ]


def json_of_stocks(number, time_ns, count, bars=None):
    if bars is None:
        stocks = stocks_of_message(number, count)
    else:
        stocks = [
            [f"[{','.join(column)}]" for column in columns]
            for columns in series_of_message(number, count, bars)
        ]
    records = ",".join(
        "{" + ",".join(f'"{k}":{v}' for k, v in zip(KEYS, row, strict=True)) + "}"
        for row in stocks
    )
    return f'{{"sequence":{number},"time_ns":{time_ns},"stocks":[{records}]}}'


def binary_of_stocks(number, time_ns, count, bars=None):
    message = struct.pack(">QQI", number, time_ns, count * (bars or 1))
    if bars is not None:
        for *prices, volumes in series_of_message(number, count, bars):
            for price in (each for column in prices for each in column):
                message += struct.pack(">d", float(price))
            message += struct.pack(f">{bars}Q", *map(int, volumes))
        return message
    for *prices, volume in stocks_of_message(number, count):
        message += struct.pack(">ddddQ", *map(float, prices), int(volume))
    return message


def feed_case(kind, encoding, number, time_ns, stocks=1, bars=None):
    case = {"kind": kind, "encoding": encoding, "number": str(number)}
    case |= {"time_ns": str(time_ns), "stocks": stocks}
    value = {"sequence": number, "clock": time_ns}.get(kind)
    if kind == "stocks" and encoding == "json":
        return case | {"text": json_of_stocks(number, time_ns, stocks, bars)}
    if kind == "stocks":
        return case | {"hex": binary_of_stocks(number, time_ns, stocks, bars).hex()}
    if kind == "hello" and encoding == "json":
        return case | {"text": "hello world"}
    if kind == "hello":
        return case | {"hex": b"hello world".hex()}
    if encoding == "json":
        return case | {"text": str(value)}
    return case | {"hex": value.to_bytes(8, "big").hex()}


def feed_cases():
    for encoding in ("json", "binary"):
        yield feed_case("hello", encoding, 42, 1_234_567_890_123)
        for number in NUMBERS:
            yield feed_case("sequence", encoding, number, 1_234_567_890_123)
        for time_ns in INSTANTS_NS:
            yield feed_case("clock", encoding, 42, time_ns)
        for number, time_ns, stocks in [
            (0, 0, 1),
            (1, 1_234_567_890_123, 2),
            (11, 2**53 + 1, 3),
            (2**53 - 1, 2**63 - 1, 25),
        ]:
            yield feed_case("stocks", encoding, number, time_ns, stocks)


def wrong_cases():
    """Yield messages that are not of their feed, each for a different reason."""
    good = json_of_stocks(1, 2, 1)
    binary = binary_of_stocks(1, 2, 1)
    for kind, text in [
        ("hello", "hello World"),
        ("hello", ""),
        ("sequence", ""),
        ("sequence", "-1"),
        ("sequence", "+1"),
        ("sequence", " 1"),
        ("sequence", "01"),
        ("sequence", "1.0"),
        ("sequence", "1e3"),
        ("sequence", "hello world"),
        ("sequence", str(2**53)),
        ("clock", str(2**63)),
        ("clock", "9" * 30),
        ("stocks", "1"),
        ("stocks", good[:-1]),
        ("stocks", good.replace('"sequence":1', '"sequence":01')),
        ("stocks", good.replace("time_ns", "time")),
        ("stocks", good + " "),
    ]:
        yield {"kind": kind, "encoding": "json", "text": text}
    for kind in ("hello", "sequence", "clock", "stocks"):
        # Correct except for its type.
        right = feed_case(kind, "json", 1, 2)["text"]
        yield {"kind": kind, "encoding": "json", "hex": right.encode().hex()}
    yield {"kind": "hello", "encoding": "binary", "text": "hello world"}
    yield {"kind": "sequence", "encoding": "binary", "text": "12345678"}
    yield {"kind": "clock", "encoding": "binary", "text": "12345678"}
    for kind, message in [
        ("hello", b"hello"),
        ("sequence", b""),
        ("sequence", bytes(7)),
        ("sequence", bytes(9)),
        ("sequence", (2**53).to_bytes(8, "big")),
        ("clock", (2**63).to_bytes(8, "big")),
        ("stocks", b""),
        ("stocks", binary[:19]),
        ("stocks", binary[:-1]),
        ("stocks", binary + b"\0"),
        ("stocks", binary[:19] + b"\2" + binary[20:]),
    ]:
        yield {"kind": kind, "encoding": "binary", "hex": message.hex()}


def judge(numbers):
    """Return the verdict on each number: docs/published.md 2.3, with full memory."""
    received, verdicts = set(), []
    first = after = None
    has_forgotten = False
    for number in numbers:
        if first is None:
            first = after = number
        oldest = after - REMEMBERED
        if number == after:
            verdict = "in_order"
        elif number > after:
            verdict = "gap" if number - after <= GAP_MAX else "unexpected"
        elif number < first:
            verdict = "unexpected"
        elif number < oldest:
            verdict = "unexpected" if has_forgotten else "duplicate"
        else:
            verdict = "duplicate" if number in received else "reordered"
        verdicts.append((verdict, max(0, number - after) if verdict == "gap" else 0))
        if verdict == "unexpected":
            continue
        received.add(number)
        before, after = after, max(after, number + 1)
        left = range(max(first, before - REMEMBERED), max(first, after - REMEMBERED))
        # For a large gap, it suffices to look at the oldest of the missing numbers.
        has_forgotten = has_forgotten or any(
            forgotten not in received for forgotten in left[: 2 * REMEMBERED + 2]
        )
    return verdicts


def sequence_case(name, numbers):
    numbers = list(numbers)
    verdicts = judge(numbers)
    given = [verdict for verdict, _ in verdicts]
    missing = 0
    for verdict, count in verdicts:
        missing += count
        missing = max(0, missing - 1) if verdict == "reordered" else missing
    counts = {
        "in_order": given.count("in_order"),
        "gaps": given.count("gap"),
        "missing": missing,
        "duplicates": given.count("duplicate"),
        "reordered": given.count("reordered"),
        "unexpected": given.count("unexpected"),
    }
    return {"name": name, "numbers": numbers, "verdicts": given, "counts": counts}


def sequence_cases():
    yield sequence_case("nothing", [])
    yield sequence_case("in order", range(5))
    yield sequence_case("joins in the middle", range(1_000, 1_004))
    yield sequence_case("one is missing", [0, 1, 3, 4])
    yield sequence_case("two gaps", [0, 3, 4, 9])
    yield sequence_case("a duplicate at once", [0, 1, 1, 2])
    yield sequence_case("a duplicate later", [0, 1, 2, 3, 0, 4])
    yield sequence_case("two in the wrong order", [0, 2, 1, 3])
    yield sequence_case("late, and then again", [0, 2, 1, 1, 3])
    yield sequence_case("before the first", [5, 6, 4, 7])
    yield sequence_case("the oldest that is remembered", [*range(200), 72, 71, 0])
    yield sequence_case("just remembered as missing", [0, *range(2, 129), 1])
    yield sequence_case("just forgotten as missing", [0, *range(2, 130), 1, 0])
    yield sequence_case("late, and then old", [0, 2, 1, *range(3, 200), 1, 0])
    yield sequence_case("a gap of 127", [0, 128, 1, 127, 0])
    yield sequence_case("a gap of 128", [0, 129, 1, 2, 0])
    yield sequence_case("a gap of 129", [0, 130, 1, 2, 3])
    yield sequence_case("a gap of the memory, then old", [0, 500, 1, 499, 373, 372])
    yield sequence_case("the largest gap", [0, GAP_MAX + 1, GAP_MAX + 2])
    yield sequence_case("too far ahead", [0, GAP_MAX + 2, 1, 2**53 - 1, 2])


def rounded(duration_ns):
    """Round a duration to three significant digits; a half is rounded up."""
    unit = Decimal(10) ** max(0, len(str(duration_ns)) - 3)
    return int((Decimal(duration_ns) / unit).quantize(0, ROUND_HALF_UP) * unit)


DURATIONS_NS = (
    *(0, 1, 9, 10, 99, 100, 999, 1_000, 1_004, 1_005, 1_006, 1_014, 1_015, 1_234),
    *(9_994, 9_995, 9_999, 10_049, 10_050, 12_345, 99_949, 99_950, 99_999),
    *(123_456, 123_499, 123_500, 999_499, 999_500, 1_234_567, 987_654_321),
    *(1_005_000_000, 1_004_999_999, 3_599_999_999_999, 3_600_000_000_000),
    *(2**53 + 1, 2**63 - 1),
)


def vectors():
    """Return all test vectors, by subject."""
    return {
        "feeds": list(feed_cases()),
        "wrong": list(wrong_cases()),
        "sequences": list(sequence_cases()),
        "roundings": [[str(given), str(rounded(given))] for given in DURATIONS_NS],
    }


def document():
    """Return the content of the file, one test vector per line for readable diffs."""
    parts = (
        f'"{name}": [\n  '
        + ",\n  ".join(json.dumps(case, ensure_ascii=False) for case in cases)
        + "\n]"
        for name, cases in vectors().items()
    )
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    (FOLDER / "vectors.json").write_text(document(), encoding="utf-8")
