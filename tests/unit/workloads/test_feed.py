"""A measurement of a feed, from made-up reports and samples."""

import pytest
from tests.unit.workloads.made_up import (
    NUMBERS,
    delivery,
    load_result,
    received,
    regularity,
    second,
    workload_of,
)

from autostrada.errors import Miscounted
from autostrada.stats.evidence import Pacing
from autostrada.store.record import Observation, ProcessSample
from autostrada.workloads.delivery import faults
from autostrada.workloads.report import EndPlacement, Observed, Reports


def sample(name, since_start_ns):
    """Return a sample of a process that has used a tenth of its time."""
    return ProcessSample(
        process=name,
        since_start_ns=since_start_ns,
        cpu_ns=since_start_ns // 10,
        user_ns=None,
        system_ns=None,
        resident_bytes=1,
        proportional_bytes=None,
        peak_resident_bytes=1,
        threads=None,
        switches_voluntary=None,
        switches_forced=None,
        faults_minor=None,
        faults_major=None,
        files=None,
    )


def measured(of, *, is_client_engine=True, processes=(), **workload):
    """Return the measurement of a delivery."""
    reports = Reports(servers=of.servers, clients=of.clients, start_ns=0)
    planned = workload_of(*of.clients, every_ms=of.every_ms, **workload)
    observed = Observed(
        observation=Observation(process_samples=tuple(processes)),
        ends={
            "server": EndPlacement(is_engine=True, cpus=frozenset({0})),
            "client": EndPlacement(is_engine=is_client_engine, cpus=frozenset({1})),
        },
        window=planned.window(reports),
    )
    return planned.judge(reports, observed)


def test_messages_are_those_of_all_clients():
    two = delivery(received(20), received(19), sent=39)
    samples = [
        sample(name, instant)
        for instant in (0, 1_000_000_000)
        for name in ("client", "client 2", "server")
    ]
    measurement = measured(two, is_client_engine=False, processes=samples)
    assert (measurement.messages, measurement.duration_ns) == (39, 2_000_000_000)
    assert (measurement.sender, measurement.pacing) == ("server", Pacing.CONTINUOUS)
    assert [each.process for each in measurement.processes] == [
        "client",
        "client 2",
        "server",
    ]
    assert [(end.process, end.is_engine) for end in measurement.ends] == [
        ("client", False),
        ("server", True),
    ]


def test_unobserved_figures_are_unknown():
    measurement = measured(delivery(received(20), sent=20), is_client_engine=False)
    assert measurement.processes == ()
    shares = (measurement.server_busy_share, measurement.client_busy_share)
    assert shares == (None, None)
    assert [end.cpu_cores for end in measurement.ends] == [None, None]


def test_a_feed_with_an_interval_is_an_open_loop():
    half = measured(delivery(received(10), sent=10, every_ms=100.0))
    assert (half.pacing, half.achieved_share) == (Pacing.OPEN_LOOP, 0.5)


def test_the_reason_of_an_unsteady_feed_is_reported():
    expected_regularity = regularity(judged=20, on_time=20, burst_max=3)
    client = received(
        20,
        latencies=((5_000_000, 20),),
        load=load_result(regularity=expected_regularity),
    )
    unsteady = measured(delivery(client, feed="clock", every_ms=100.0))
    assert unsteady.violation == "3 messages arrived at once"
    assert measured(delivery(received(20))).violation == ""


def test_the_engine_reports_its_busy_share_and_its_limit():
    engine = load_result(busy_shares=(0.1, 0.4), generator_limited="late")
    measurement = measured(
        delivery(received(20, load=engine), received(20, load=engine), sent=40)
    )
    assert measurement.ends[0].busy_share == pytest.approx(0.8)
    assert measurement.engine_limit == "late"


def test_latencies_are_stored_as_buckets():
    known = measured(delivery(received(3, latencies=((7, 1), (9, 2))), sent=3))
    assert [(each.value_ns, each.count) for each in known.buckets] == [(7, 1), (9, 2)]


def test_seconds_are_stored_per_process_including_the_remainder():
    client = received(20, seconds=(second(0, 15),))
    series = [
        (each.process, each.second, each.messages)
        for each in measured(delivery(client)).seconds
    ]
    assert series == [("client", 0, 15), ("client", 1, 5), ("server", 0, 20)]


def test_a_series_above_its_total_is_refused():
    with pytest.raises(Miscounted, match="do not add up"):
        measured(delivery(received(20, seconds=(second(0, 21),))))


def test_faults_are_described():
    numbers = NUMBERS.model_copy(update={"missing": 1200, "duplicates": 1})
    lossy = delivery(received(20, wrong=2, sequence=numbers), sent=1220)
    assert list(faults(lossy)) == [
        "1,200 messages are missing",
        "1 message arrived twice",
        "2 messages had wrong content",
    ]
    assert list(faults(delivery(received(7)))) == ["1 connection ended before the feed"]
    assert not list(faults(delivery(received(20))))
