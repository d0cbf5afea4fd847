"""Shares computed from made-up samples."""

from dataclasses import replace

import pytest
from tests.unit.blank import blank, process_sample

from autostrada.evidence.ends import (
    TrialEnd,
    end_evidence,
    missing_totals,
    network_bytes_per_byte,
    shared_cores_limit,
    total_from_samples,
)
from autostrada.store.record import (
    CoreSample,
    EndEvidence,
    Observation,
    ProcessTotal,
    SocketSample,
)

S = 1_000_000_000
CLIENT = TrialEnd(process="client", is_engine=False, cpus={1})
TOTAL = ProcessTotal(
    process="client", cpu_ns=S, resident_bytes=1, peak_resident_bytes=1
)
SOCKETS = blank(
    SocketSample,
    0,
    process="client",
    connections=4,
    sampled=4,
    send_queues_filled=1,
    receive_queues_filled=3,
    segments_out=100,
    retransmits=2,
    receive_window_limited_ns=S,
)


def core(number, at_s, busy_s, idle_s=None):
    return CoreSample(
        since_start_ns=round(at_s * S),
        core=number,
        busy_ns=round(busy_s * S),
        idle_ns=round((at_s - busy_s if idle_s is None else idle_s) * S),
        steal_ns=None,
        softirq_ns=0,
    )


def observe(*, sockets=(), cores=()):
    return Observation(socket_samples=tuple(sockets), core_samples=tuple(cores))


def test_without_samples_only_cpu_time_is_known():
    end = end_evidence(CLIENT, TOTAL, observe(), 4 * S)
    assert (end.process, end.is_engine) == ("client", False)
    assert end.utilization == end.cpu_cores == pytest.approx(0.25)
    assert end.receive_queue_filled_share is None
    assert end.receive_window_limited_share is None
    unobserved = end_evidence(CLIENT, None, observe(cores=[core(1, 0, 0)]), 4 * S)
    assert (unobserved.cpu_cores, unobserved.utilization) == (None, None)


BOTH = [core(0, 0, 0), core(1, 0, 0), core(0, 2, 2.0), core(1, 2, 1.0)]
ENGINE = replace(CLIENT, is_engine=True, utilization=0.7)
BESIDE = replace(CLIENT, others_cpu_ns=S)


@pytest.mark.parametrize(
    ("end", "total", "cores", "utilization"),
    [
        # It is relative to the cores of the end.
        (CLIENT, TOTAL, BOTH, 0.5),
        (replace(CLIENT, cpus={0, 1}), TOTAL, BOTH, 0.75),
        (CLIENT, None, [core(1, 0, 0), core(1, 4, 3)], 0.75),
        # Work of other processes of the trial is not that of the contestant.
        (BESIDE, TOTAL, [core(1, 0, 0), core(1, 4, 4.0)], 0.75),
        # What the kernel attributes to the process is its own in any case.
        (BESIDE, replace(TOTAL, cpu_ns=4 * S), [core(1, 0, 0), core(1, 4, 4.0)], 1),
        # Work that every tick found is limited by idle time.
        (CLIENT, TOTAL, [core(1, 0, 0), core(1, 4, 4.0, idle_s=2.0)], 0.5),
        # Samples outside the window do not count.
        (CLIENT, TOTAL, [core(1, -1, 0), core(1, 5, 5.0)], 0.25),
        # The engine is as busy as it reports.
        (ENGINE, TOTAL, [core(1, 0, 0), core(1, 2, 2.0)], 0.7),
        (ENGINE, None, [], 0.7),
    ],
)
def test_the_utilization_is_the_share_of_the_cores_that_the_end_worked(
    end, total, cores, utilization
):
    found = end_evidence(end, total, observe(cores=cores), 4 * S)
    assert found.utilization == pytest.approx(utilization)


@pytest.mark.parametrize(
    ("own_share", "others_share", "filled_share", "is_limited"),
    [
        (0.6, 0.35, 1.0, True),
        (0.6, 0.35, None, True),
        (0.6, 0.35, 0.4, False),
        (0.6, 0.2, 1.0, False),
        (0.92, 0.08, 1.0, False),
        (0.89, 0.0, 1.0, False),
        (None, 0.5, 1.0, False),
    ],
)
def test_the_engine_limits_a_contestant_that_it_leaves_too_little_of_their_core(
    own_share, others_share, filled_share, is_limited
):
    end = replace(CLIENT, others_cpu_ns=round(others_share * 4 * S))
    evidence = EndEvidence(
        process="client",
        is_engine=False,
        cpu_cores=own_share,
        utilization=own_share,
        receive_queue_filled_share=filled_share,
    )
    limit = shared_cores_limit(end, evidence, 4 * S)
    expected = "the engine's clients used 35% of the cores of the client"
    assert limit == (expected if is_limited else "")


def test_queues_are_shares_of_sockets_and_samples():
    later = replace(
        SOCKETS,
        since_start_ns=2 * S,
        receive_queues_filled=1,
        unsent_bytes=5,
        segments_out=300,
        retransmits=3,
        receive_window_limited_ns=5 * S,
        send_buffer_limited_ns=2 * S,
    )
    other = replace(SOCKETS, process="server", receive_queues_filled=0)
    end = end_evidence(CLIENT, TOTAL, observe(sockets=[SOCKETS, other, later]), 4 * S)
    assert end.receive_queue_filled_share == pytest.approx(4 / 8)
    assert end.send_queue_filled_share == pytest.approx(2 / 8)
    assert end.unsent_share == pytest.approx(1 / 2)
    assert end.receive_window_limited_share == pytest.approx(4 / 8)
    assert end.send_buffer_limited_share == pytest.approx(2 / 8)
    assert end.retransmitted_share == pytest.approx(1 / 200)


def test_counters_of_a_single_sample_or_other_sockets_give_nothing():
    for samples in (
        [SOCKETS],
        [SOCKETS, replace(SOCKETS, since_start_ns=S, sampled=3)],
    ):
        end = end_evidence(CLIENT, TOTAL, observe(sockets=samples), 4 * S)
        assert end.receive_queue_filled_share is not None
        assert end.receive_window_limited_share is None


def test_bytes_on_the_network_are_data_and_66_bytes_for_each_segment():
    later = replace(
        SOCKETS,
        since_start_ns=2 * S,
        sent_bytes=600,
        received_bytes=400,
        segments_out=106,
        segments_in=4,
    )
    samples = observe(sockets=[SOCKETS, later])
    factor = network_bytes_per_byte("client", samples, 4 * S)
    assert factor == pytest.approx((1000 + 10 * 66) / 1000)
    assert network_bytes_per_byte("server", samples, 4 * S) is None
    for changed in (
        replace(later, since_start_ns=S // 20),
        replace(SOCKETS, since_start_ns=2 * S),
    ):
        samples = observe(sockets=[SOCKETS, changed])
        assert network_bytes_per_byte("client", samples, 4 * S) is None


def test_ticks_give_nothing_for_a_short_span():
    later = replace(SOCKETS, since_start_ns=SOCKETS.since_start_ns + S // 20)
    cores = [core(1, 0, 0), core(1, 0.05, 0.05)]
    end = end_evidence(
        CLIENT, TOTAL, observe(sockets=[SOCKETS, later], cores=cores), 4 * S
    )
    assert end.receive_queue_filled_share is not None
    assert end.receive_window_limited_share is None
    assert end.utilization == end.cpu_cores


def process(at_s, cpu_s, name="client"):
    known = {"cpu_ns": round(cpu_s * S), "resident_bytes": round(at_s * 10)}
    return process_sample(name, at_s * S, 99, **known)


def test_usage_between_two_samples_stands_for_the_window():
    samples = (
        process(-1, 0),
        process(1, 5),
        process(2, 9, "server"),
        process(3, 6),
        process(9, 60),
    )
    total = total_from_samples("client", Observation(process_samples=samples), 4 * S)
    assert (total.process, total.cpu_ns) == ("client", 2 * S)
    assert (total.resident_bytes, total.peak_resident_bytes) == (30, 99)


def test_usage_without_two_samples_is_unknown():
    # The first and last samples are not at the ends of the window.
    samples = (process(-1, 0), process(1, 5), process(9, 60))
    assert (
        total_from_samples("client", Observation(process_samples=samples), 4 * S)
        is None
    )


def test_unknown_metrics_are_named_with_the_process_and_the_reason():
    samples = (process(1, 5), process(1, 2, "client 2"))
    missing = missing_totals(Observation(process_samples=samples), [TOTAL])
    assert [(each.metric, each.reason) for each in missing] == [
        (
            "processes.client 2.cpu_ns",
            "the measured window has fewer than two samples",
        ),
        (
            "processes.server.cpu_ns",
            "the measured window has fewer than two samples",
        ),
    ]


@pytest.mark.parametrize(
    ("cpu_share_max", "utilization"), [(0.5, 1.0), (0.8, 0.625), (4.0, 1.0)]
)
def test_the_utilization_of_a_limited_end_is_that_of_its_limit(
    cpu_share_max, utilization
):
    limited = replace(CLIENT, cpu_share_max=cpu_share_max)
    observation = observe(cores=[core(1, 0, 0), core(1, 2, 2)])
    end = end_evidence(limited, TOTAL, observation, 2 * S)
    assert (end.cpu_cores, end.cpu_limit_cores) == (0.5, cpu_share_max)
    assert end.utilization == utilization
