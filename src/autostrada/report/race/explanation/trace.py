"""What the trials of a client left behind that tells why it was fast or slow."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from autostrada.report.query import ask
from autostrada.stats.efficiency import wire_bytes_per_payload_byte
from autostrada.store.reader import Row, StoreReader


@dataclass(frozen=True, kw_only=True, slots=True)
class Trace:
    """
    One client in one workload, medians over its counted trials.

    ``None`` stands for what was not recorded, or where no two looks fell into a trial.
    """

    late_ms: float | None
    """From the first byte sent to the end, less the client's own word of it."""

    clock_ratio: float | None
    """The duration by the engine's clock, by the client's own word of it."""

    wire_bytes_per_message: float | None
    wire_bytes_per_payload_byte: float | None
    messages_per_call: float | None
    """Of the server's system calls that handed something over."""

    messages_per_wake_up: float | None
    """Of the client: how many it read for each time that it had waited."""

    messages_per_segment: float | None
    """Of TCP, as they came in."""


Traces = Mapping[tuple[str, str], Trace]
"""By workload and client."""


def read_traces(reader: StoreReader, run_id: int) -> Traces:
    """Return the traces of all clients of a run."""
    trials: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in ask(reader, "traces", run_id):
        trials[row["workload"], row["client"]].append(row)
    return {cell: trace_of(rows) for cell, rows in trials.items()}


def trace_of(rows: Sequence[Row]) -> Trace:
    """Return the trace of a client from the rows of its trials in one workload."""
    return Trace(
        late_ms=_median(_late_ms(row) for row in rows),
        clock_ratio=_median(
            _by(row["duration_ns"], row["client_duration_ns"]) for row in rows
        ),
        wire_bytes_per_message=_median(
            _by(row["wire_bytes"], row["messages"]) for row in rows
        ),
        wire_bytes_per_payload_byte=_median(
            wire_bytes_per_payload_byte(row["wire_bytes"], row["payload_bytes"])
            for row in rows
            if row["wire_bytes"] and row["payload_bytes"]
        ),
        messages_per_call=_median(
            _by(row["messages"], row["write_calls"]) for row in rows
        ),
        messages_per_wake_up=_median(
            # Who never waited between two looks has had all of it at once.
            _by(_messages(row, "read_bytes"), max(1, row["wake_ups"]))
            for row in rows
            if row["wake_ups"] is not None and row["read_bytes"]
        ),
        messages_per_segment=_median(
            _by(_messages(row, "received_bytes"), row["segments"]) for row in rows
        ),
    )


def _late_ms(row: Row) -> float | None:
    if row["client_duration_ns"] is None:
        return None
    return float(row["duration_ns"] - row["client_duration_ns"]) / 1e6


def _messages(row: Row, bytes_: str) -> float | None:
    """Return how many messages some bytes are; none where it is not known."""
    size = _by(row["wire_bytes"], row["messages"])
    return _by(row[bytes_], size)


def _by(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
