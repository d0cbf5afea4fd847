"""A measurement of a feed, from made-up reports and samples; whether it was steady."""

import pytest
from pydantic import ValidationError
from tests.unit.blank import blank, process_sample
from tests.unit.workloads.made_up import (
    NUMBERS,
    S,
    delivery,
    evaluated,
    feed,
    load_result,
    received,
    regularity,
    second,
    workload_of,
)

from autostrada.stats.evidence import Pacing
from autostrada.store.record import CoreSample, Observation
from autostrada.workloads.delivery import faults
from autostrada.workloads.feed import IS_STEADY, steadiness_input, steady_metrics
from autostrada.workloads.report import Reports


def core(since_start_ns):
    """Return a sample of the client's core, which is always busy."""
    return blank(
        CoreSample, 0, since_start_ns=since_start_ns, core=1, busy_ns=since_start_ns
    )


def sample(name, since_start_ns, share=0.1):
    """Return a sample of a process that has used a share of its time."""
    cpu_ns = round(since_start_ns * share)
    return process_sample(name, since_start_ns, 1, cpu_ns=cpu_ns)


def measured(
    of, *, is_client_engine=True, processes=(), cores=(), reference_cpus=(), **workload
):
    """Return the measurement of a delivery."""
    reports = Reports(servers=of.servers, clients=of.clients, start_ns=0)
    planned = workload_of(*of.clients, every_ms=of.every_ms, **workload)
    observation = Observation(
        process_samples=tuple(processes), core_samples=tuple(cores)
    )
    return evaluated(
        planned,
        reports,
        *("server", "client")[: 1 + is_client_engine],
        observation=observation,
        reference_cpus=frozenset(reference_cpus),
    )


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


def test_the_engine_beside_a_contestant_is_recorded_as_a_process_of_its_own():
    engine = received(20, load=load_result(utilizations=(0.4,)))
    mixed = delivery(received(12), engine, engine, sent=60)
    samples = [
        sample(name, instant, share)
        for instant in (0, 2_000_000_000)
        for name, share in (
            ("client", 0.6),
            ("reference", 0.2),
            ("reference 2", 0.2),
            ("server", 1.0),
        )
    ]
    settings = {
        "is_client_engine": False,
        "processes": samples,
        "cores": [core(0), core(2_000_000_000)],
    }
    measurement = measured(mixed, reference_cpus={1}, **settings)
    used_ns = {each.process: each.cpu_ns for each in measurement.processes}
    assert used_ns == {
        "client": 1_200_000_000,
        "reference": 800_000_000,
        "reference 2": 400_000_000,
        "server": 2_000_000_000,
    }
    assert [each.process for each in measurement.seconds] == [
        "client",
        "reference",
        "reference 2",
        "server",
    ]
    client = measurement.ends[0]
    assert not client.is_engine
    assert (client.cpu_cores, client.utilization) == pytest.approx((0.6, 0.6))
    # Sockets were not sampled, so that the client may have been behind.
    limit = "the engine's clients used 40% of the cores of the client"
    assert measurement.engine_limit == limit
    apart = measured(mixed, reference_cpus={2}, **settings)
    assert (apart.ends[0].utilization, apart.engine_limit) == (1.0, "")


def test_unobserved_metrics_are_unknown():
    measurement = measured(delivery(received(20), sent=20), is_client_engine=False)
    assert measurement.processes == ()
    shares = (measurement.server_utilization, measurement.client_utilization)
    assert shares == (None, None)
    assert [end.cpu_cores for end in measurement.ends] == [None, None]


def test_a_feed_with_an_interval_is_an_open_loop():
    half = measured(delivery(received(10), sent=10, every_ms=100.0))
    assert (half.pacing, half.achieved_share) == (Pacing.OPEN_LOOP, 0.5)


def test_the_reason_of_an_unsteady_feed_is_reported():
    client = received(
        20,
        latencies=((5_000_000, 19), (101_000_000, 1)),
        load=load_result(regularity=regularity(judged=20, on_time=20, burst_max=1)),
    )
    unsteady = measured(delivery(client, feed="clock", every_ms=100.0))
    assert unsteady.violation == (
        "5.3% of the messages arrived after the next one was due, or never: up to 101 "
        "ms late"
    )
    assert measured(delivery(received(20))).violation == ""


def test_the_engine_reports_its_utilization_and_its_limit():
    engine = load_result(utilizations=(0.1, 0.4), generator_limited="late")
    measurement = measured(
        delivery(received(20, load=engine), received(20, load=engine), sent=40)
    )
    assert measurement.ends[0].utilization == pytest.approx(0.8)
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


def test_what_a_server_does_by_design_is_no_fault():
    gaps = received(15, sequence=NUMBERS.model_copy(update={"missing": 5}))
    assert list(faults(delivery(gaps, pace="dropping"))) == []
    assert list(faults(delivery(gaps, pace="unpaced"))) == ["5 messages are missing"]
    slow = received(7, connections=0, sequence=None, is_cut_off=True)
    late = ["1 client was still receiving at its time limit"]
    assert list(faults(delivery(slow))) == late
    for pace in ("unpaced", "dropping"):
        assert list(faults(delivery(slow, pace=pace))) == []
        assert list(faults(delivery(slow, pace=pace, every_ms=100.0))) == late


def test_more_contestants_than_processes_are_refused():
    with pytest.raises(ValidationError, match="3 of 2 processes is too many"):
        feed(processes=2, contestant_processes=3)
    assert feed(processes=2, contestant_processes=1).contestant_clients == 1
    assert feed(processes=2).contestant_clients == 2


MIB = 1024**2
MS = 1_000_000
EVERY_MS = 100.0
DUE = 20
"""Messages due per connection, in the two seconds of a feed."""


def resident(second, resident_bytes, process="server"):
    return process_sample(process, second * S, resident_bytes=resident_bytes)


FLAT = Observation(
    process_samples=tuple(resident(each / 10, 300 * MIB) for each in range(-5, 25))
)


def client(messages=DUE, latency_ms=5, **more):
    given_regularity = regularity(judged=messages, on_time=messages, burst_max=1)
    return received(
        messages,
        sequence=None,
        latencies=((latency_ms * MS, messages),),
        load=load_result(regularity=given_regularity),
        **more,
    )


def held(*clients, **more):
    values = {"feed": "clock", "every_ms": EVERY_MS, "sent": DUE * len(clients)}
    return delivery(*clients, **values | more)


def is_steady(delivery, observation=FLAT):
    (metric,) = steady_metrics(steadiness_input(delivery, observation))
    assert (metric.process, metric.metric) == ("server", IS_STEADY)
    return metric.value == 1


def test_messages_within_the_interval_are_steady():
    assert is_steady(held(client(), client(latency_ms=99)))


def test_the_first_message_to_each_may_arrive_before_the_engine_counts():
    assert is_steady(held(client(messages=DUE - 1), client()))


@pytest.mark.parametrize(
    "other",
    [
        {"latency_ms": 101},
        {"messages": DUE - 2},
    ],
    ids=str,
)
def test_one_unsteady_client_of_two_is_enough(other):
    assert not is_steady(held(client(), client(**other)))


def test_late_messages_and_missing_ones_are_counted():
    # The first message of each may arrive before the engine counts.
    late = held(client(), client(DUE - 3, latency_ms=101))
    share = (DUE - 3 + 2) / (2 * DUE - 2)
    assert steadiness_input(late, FLAT).late_share == pytest.approx(share)


def test_memory_of_the_server_is_sampled_only_during_the_feed():
    grown = [resident(each / 10, (300 + 50 * each) * MIB) for each in range(21)]
    assert not is_steady(held(client()), Observation(process_samples=tuple(grown)))
    before = [resident(-9 + each / 10, 50 * each * MIB) for each in range(21)]
    clients = [resident(each / 10, 50 * each * MIB, "client") for each in range(21)]
    seen = (*before, *clients, *FLAT.process_samples)
    assert is_steady(held(client()), Observation(process_samples=seen))


@pytest.mark.parametrize(
    "delivery",
    [
        held(client(), every_ms=None),
        held(received(DUE)),
        held(client(), received(DUE)),
    ],
    ids=["continuous", "a contestant", "one of each"],
)
def test_it_is_known_only_for_the_engine_with_an_interval(delivery):
    is_known = steadiness_input(delivery, FLAT) is not None
    assert is_known == (delivery.every_ms is not None and len(delivery.clients) > 1)
