"""Rows of the store become what tells why a client was fast."""

import pytest

from autostrada.report.race.explanation.trace import read_traces, trace_of

ROW = {
    "messages": 1_000,
    "payload_bytes": 11_000,
    "duration_ns": 4_000_000,
    "client_duration_ns": 2_000_000,
    "wire_bytes": 13_000,
    "write_calls": 10,
    "wake_ups": 5,
    "received_bytes": 6_500,
    "segments": 50,
    "read_bytes": 1_300,
}


def test_figures_are_of_a_message():
    trace = trace_of([ROW])
    assert (trace.late_ms, trace.clock_ratio) == (2.0, 2.0)
    assert trace.wire_bytes_per_message == 13
    assert trace.wire_bytes_per_payload_byte == pytest.approx(13 / 11)
    assert trace.messages_per_call == 100
    assert trace.messages_per_wake_up == 20
    assert trace.messages_per_segment == 10


def test_they_are_medians_of_what_is_known():
    unseen = ROW | {"wake_ups": None, "segments": None, "received_bytes": None}
    trace = trace_of([ROW | {"wake_ups": 0}, unseen, ROW | {"wake_ups": 50}])
    # Who has not waited at all has had all at once.
    assert trace.messages_per_wake_up == (100 + 2) / 2
    assert trace.messages_per_segment == 10


def test_what_nobody_recorded_is_not_known():
    trace = trace_of(
        [ROW | {"wire_bytes": None, "write_calls": None, "client_duration_ns": None}]
    )
    assert trace.late_ms is trace.clock_ratio is None
    assert trace.wire_bytes_per_message is trace.messages_per_call is None
    assert trace.messages_per_wake_up is trace.messages_per_segment is None


def test_traces_are_read_for_every_cell_that_was_measured(reader):
    traces = read_traces(reader, 1)
    assert ("batched", "cobol-mid") in traces
    assert ("batched", "dart-missing") not in traces
    trace = traces["one-by-one", "ada-fast"]
    assert (trace.late_ms, trace.clock_ratio) == (0.0, 1.0)
