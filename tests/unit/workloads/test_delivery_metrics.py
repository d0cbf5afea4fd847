"""The metrics of a feed, from made-up reports and samples."""

import pytest
from tests.unit.blank import process_sample
from tests.unit.workloads.made_up import (
    NUMBERS,
    OPENED_NS,
    delivery,
    load_result,
    received,
    regularity,
    values,
)

from autostrada.store.record import Observation
from autostrada.workloads.delivery import feed_metrics
from autostrada.workloads.feed import opening_metrics
from autostrada.workloads.feed_ends import observation_metrics

MS = 1_000_000
S = 1_000_000_000
CPUS = {"server": frozenset({0}), "client": frozenset({1})}
EVERYTHING = {
    "sent_messages",
    "sent_per_s",
    "sent_per_client_per_s",
    "received_messages",
    "received_per_s",
    "received_per_client",
    "received_per_client_per_s",
    "dropped_messages",
    "unreceived_share",
    "dropped_share",
    "missing_messages",
    "wrong_messages",
    "disconnected_clients",
}


def sample(process, at_s, resident_bytes, cpu_ns):
    known = {"resident_bytes": resident_bytes, "cpu_ns": cpu_ns}
    return process_sample(process, at_s * S, **known)


def test_counts_are_totals_per_connection_and_per_second():
    two = delivery(received(20), received(20), sent=40)
    known = values(feed_metrics(two))
    assert known.keys() == EVERYTHING
    # In two seconds.
    assert (known["sent_per_s"], known["sent_per_client_per_s"]) == (20, 10)
    assert known["received_per_client"] == 20
    assert known["received_per_client_per_s"] == pytest.approx(10)
    assert known["unreceived_share"] == 0


def test_a_client_that_cannot_keep_up_falls_behind():
    known = values(feed_metrics(delivery(received(5), sent=20)))
    assert known["unreceived_share"] == pytest.approx(0.75)


def test_the_reporting_process_is_named():
    process = {
        each.metric: each.process for each in feed_metrics(delivery(received(20)))
    }
    assert process["sent_messages"] == "server"
    assert process["received_messages"] == "client"


def test_a_feed_without_times_has_no_latency():
    known = values(feed_metrics(delivery(received(20))))
    assert not [name for name in known if name.startswith("latency")]
    latencies = ((2 * MS, 98), (50 * MS, 1), (52 * MS, 1))
    known = values(feed_metrics(delivery(received(100, latencies=latencies), sent=100)))
    assert known["latency_ms_mean"] == pytest.approx(2.98)
    assert known["latency_ms_p50"] == 2
    assert (known["latency_ms_p99"], known["latency_ms_max"]) == (50, 52)


def test_regularity_refers_to_due_messages():
    metrics = regularity(judged=8, on_time=6, burst_max=3)
    engine = load_result(regularity=metrics)
    known = values(feed_metrics(delivery(received(20, load=engine), every_ms=100.0)))
    assert known["on_time_share"] == 0.75
    assert (known["burst_max_messages"], known["backlog_messages"]) == (3, 0)


def test_a_clock_feed_without_numbers_has_a_backlog():
    metrics = regularity(judged=12, on_time=12, burst_max=1)
    engine = load_result(regularity=metrics)
    clock = delivery(
        received(12, sequence=None, load=engine), feed="clock", every_ms=100.0
    )
    known = values(feed_metrics(clock))
    # 20 messages were due, the first of them before the engine counted.
    assert (known["backlog_messages"], known["on_time_share"]) == (7, 12 / 19)


def test_opening_is_timed_from_the_start_or_by_the_engine():
    late = received(20, opened_ns=OPENED_NS + 200 * MS)
    own = delivery(received(20), late, sent=40)
    known = values(opening_metrics(own, OPENED_NS - 100 * MS))
    assert known == {"start_to_open_ms": 200}
    engine = load_result(connect_response_time_ns=((1000, 1),))
    by_engine = delivery(received(20, load=engine))
    begun_ns = OPENED_NS - 250 * MS
    known = values(opening_metrics(by_engine, begun_ns))
    assert known == {
        "connect_ms_p50": 0.001,
        "connect_ms_p99": 0.001,
        "connect_s": 0.25,
    }


def test_metrics_of_clients_are_divided_among_their_processes():
    samples = [
        sample(end, at_s, 100 + 30 * at_s, at_s * S)
        for end in ("client", "server")
        for at_s in (-1, 0, 1, 2)
    ]
    observation = Observation(process_samples=tuple(samples))
    two = delivery(received(20), received(20), sent=40)
    known = values(observation_metrics(two, observation, CPUS))
    assert known["server_cpu_utilization"] == 1.0
    assert known["client_cpu_utilization"] == 0.5
    assert known["server_memory_bytes_third_3"] == 160
    assert known["client_memory_bytes_third_3"] == 80
    assert known["server_memory_bytes_per_connection"] == 15
    # A contestant had already opened its connections at the first sample.
    assert "client_memory_bytes_per_connection" not in known


def test_beside_a_contestant_the_engine_counts_for_totals_only():
    numbers = NUMBERS.model_copy(update={"missing": 8})
    contestant = received(12, sequence=numbers, latencies=((5 * MS, 12),))
    engine = received(20, latencies=((1 * MS, 20),), load=load_result())
    both = delivery(contestant, engine, sent=40)
    known = values(feed_metrics(both))
    assert (known["received_messages"], known["received_per_client"]) == (32, 12)
    assert known["received_per_s"] == pytest.approx(16)
    assert known["received_per_client_per_s"] == pytest.approx(6)
    assert known["sent_per_client_per_s"] == 10
    assert (known["missing_messages"], known["dropped_messages"]) == (8, 8)
    assert known["dropped_share"] == 0.4
    assert known["latency_ms_max"] == 5
    # What the engine reports of opening and regularity is not the contestant's.
    due = regularity(judged=20, on_time=20, burst_max=1)
    regular = received(20, load=load_result(regularity=due))
    by_interval = delivery(received(20), regular, sent=40, every_ms=100.0)
    assert "on_time_share" not in values(feed_metrics(by_interval))
    opened = load_result(connect_response_time_ns=((1000, 1),))
    opening = delivery(received(20), received(20, load=opened), sent=40)
    assert values(opening_metrics(opening, OPENED_NS - 100 * MS)) == {
        "start_to_open_ms": 100
    }


def test_the_cpu_time_of_the_engine_beside_a_contestant_is_a_metric_of_its_own():
    samples = [
        sample(process, at_s, 100, at_s * used * S)
        for process, used in (("client", 0.5), ("reference", 0.25), ("server", 1))
        for at_s in (0, 1, 2)
    ]
    both = delivery(received(20), received(20, load=load_result()), sent=40)
    metrics = [
        *observation_metrics(both, Observation(process_samples=tuple(samples)), CPUS)
    ]
    assert values(metrics)["client_cpu_utilization"] == 0.5
    assert values(metrics)["reference_cpu_utilization"] == 0.25
    assert values(metrics)["client_memory_bytes_third_3"] == 100
