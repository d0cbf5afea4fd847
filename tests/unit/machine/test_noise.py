"""Disturbance of a trial's cores by other work, and noise between two samples."""

import os
import random
import time

import pytest
from tests.unit.blank import process_sample
from tests.unit.programs import started

from autostrada.machine.host import Host
from autostrada.machine.idle import CpuSample
from autostrada.machine.noise import (
    TICK_NS,
    between,
    core_groups,
    disturbance,
    error_ns_max,
    missed_samples,
    stolen_share,
    waited_ns,
)
from autostrada.store.record import CoreSample, Observation

MS = 1_000_000
SERVER, CLIENT = 0, 1


def host(server, client, **settings):
    return Host(
        server_cpus=frozenset(server),
        client_cpus=frozenset(client),
        observer_cpus=frozenset(server),
        **settings,
    )


APART = core_groups(host({SERVER}, {CLIENT}))


def process(name, instant_ms, cpu_ms):
    return process_sample(name, instant_ms * MS, 1, cpu_ns=int(cpu_ms * MS))


def core(number, instant_ms, *, busy_ms, steal_ms=0, softirq_ms=0, span_ms=None):
    """Return a sample of a core whose remaining time is idle."""
    span_ms = instant_ms if span_ms is None else span_ms
    return CoreSample(
        since_start_ns=instant_ms * MS,
        core=number,
        busy_ns=int(busy_ms * MS),
        idle_ns=int((span_ms - busy_ms - (steal_ms or 0)) * MS),
        steal_ns=None if steal_ms is None else int(steal_ms * MS),
        softirq_ns=int(softirq_ms * MS),
    )


def observe(
    *, client_ms=900, server_ms=200, client_core=None, server_core=None, until_ms=1_000
):
    """Return an observation with samples at the beginning and the end of a trial."""
    client_core = {"busy_ms": client_ms} | (client_core or {})
    server_core = {"busy_ms": server_ms} | (server_core or {})
    return Observation(
        process_samples=(
            process("client", 0, 0),
            process("server", 0, 0),
            process("client", until_ms, client_ms),
            process("server", until_ms, server_ms),
        ),
        core_samples=(
            core(SERVER, 0, busy_ms=0),
            core(CLIENT, 0, busy_ms=0),
            core(SERVER, until_ms, **server_core),
            core(CLIENT, until_ms, **client_core),
        ),
    )


def detected(observation, groups=APART, window_ms=1_000):
    window_ns = None if window_ms is None else window_ms * MS
    return disturbance(observation, groups, window_ns)


ANYWHERE = core_groups(host({0, 1}, {0, 1}, is_pinned=False))


@pytest.mark.parametrize(
    ("groups", "client", "server", "text"),
    [
        (APART, (900, 900, 0), (200, 200, 0), ""),
        (APART, (700, 1_000, 0), (200, 200, 0), "others used 30% of core 1"),
        (APART, (900, 900, 0), (200, 600, 0), "others used 40% of core 0"),
        # Network interrupts are not the work of others.
        (APART, (900, 900, 0), (200, 600, 400), ""),
        # Those that count as own work hide nothing.
        (APART, (900, 900, 0), (600, 850, 400), "others used 25% of core 0"),
        (APART, (700, 1_000, 250), (500, 520, 400), "others used 30% of core 1"),
        # A process that is not pinned may have worked on any core.
        (ANYWHERE, (700, 700, 0), (200, 200, 0), ""),
        (ANYWHERE, (300, 800, 0), (200, 200, 0), "others used 25% of cores 0,1"),
    ],
)
def test_the_work_of_others_is_what_the_ends_did_not_use(groups, client, server, text):
    """Of each end: its CPU time, how busy its core was, and interrupts, in ms."""
    observed = observe(
        client_ms=client[0],
        server_ms=server[0],
        client_core={"busy_ms": client[1], "softirq_ms": client[2]},
        server_core={"busy_ms": server[1], "softirq_ms": server[2]},
    )
    assert detected(observed, groups) == text


def test_without_samples_nothing_is_reported():
    assert detected(Observation()) == ""
    once = Observation(
        process_samples=(process("client", 0, 5),),
        core_samples=(core(CLIENT, 0, busy_ms=900),),
    )
    assert detected(once) == ""


@pytest.mark.parametrize(
    ("client_ms", "server_ms", "share"),
    [(40, 30, 0.04), (30, 70, 0.07), (0, 0, 0.0), (None, 20, 0.02), (None, None, None)],
)
def test_stolen_time_is_that_of_the_core_that_lost_the_most(
    client_ms, server_ms, share
):
    observed = observe(
        client_core={"steal_ms": client_ms}, server_core={"steal_ms": server_ms}
    )
    found = stolen_share(observed, APART, 1_000 * MS)
    assert found == (None if share is None else pytest.approx(share))
    assert detected(observed) == ""


def test_work_on_an_unused_core_is_ignored():
    idle = observe()
    other = (core(2, 0, busy_ms=0), core(2, 1_000, busy_ms=1_000))
    assert (
        detected(
            Observation(
                process_samples=idle.process_samples,
                core_samples=idle.core_samples + other,
            )
        )
        == ""
    )


def test_only_the_window_counts():
    idle = observe()
    later = Observation(
        process_samples=(*idle.process_samples, process("client", 2_000, 900)),
        core_samples=(
            *idle.core_samples,
            core(CLIENT, 2_000, busy_ms=1_900, steal_ms=100),
        ),
    )
    assert detected(later) == ""
    assert detected(later, window_ms=None) == "others used 50% of core 1"


def test_an_ended_process_has_no_share_in_later_samples():
    # The last sample of the core is after the client's end: its share is unknown.
    idle = observe()
    gone = Observation(
        process_samples=idle.process_samples[:2],
        core_samples=idle.core_samples,
    )
    assert detected(gone) == ""


def test_work_of_both_ends_on_a_shared_core_is_own_work():
    shared = core_groups(host({3}, {3}))
    assert [(place.cpus, place.processes) for place in shared] == [
        ({3}, {"client", "server"})
    ]
    sampled = Observation(
        process_samples=observe(client_ms=500).process_samples,
        core_samples=(core(3, 0, busy_ms=0), core(3, 1_000, busy_ms=720)),
    )
    assert detected(sampled, shared) == ""
    busy = Observation(
        process_samples=observe(client_ms=500).process_samples,
        core_samples=(core(3, 0, busy_ms=0), core(3, 1_000, busy_ms=990)),
    )
    assert detected(busy, shared) == "others used 29% of core 3"


def test_a_process_of_neither_end_is_in_the_group_of_its_cores():
    ends = host({SERVER}, {CLIENT})
    beside = core_groups(ends, {"reference": frozenset({CLIENT})})
    assert [(each.cpus, each.processes) for each in beside] == [
        ({SERVER}, {"server"}),
        ({CLIENT}, {"client", "reference"}),
    ]
    apart = core_groups(ends, {"reference": frozenset({2})})
    assert [each.processes for each in apart] == [{"server"}, {"client"}, {"reference"}]


def test_cores_that_both_ends_share_are_checked_for_both():
    assert core_groups(host({0, 1}, {0, 1})) == core_groups(
        host({0, 1}, {0, 1}, is_pinned=False)
    )


def test_only_ticks_are_uncertain_on_a_core_that_is_never_idle():
    assert error_ns_max(1_000 * MS, 1_000 * MS) == 2 * TICK_NS
    assert error_ns_max(500 * MS, 1_000 * MS) > 10 * TICK_NS


@pytest.mark.parametrize("share", [0.05, 0.3, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("seconds", [1, 10])
def test_an_idle_machine_with_tick_accounting_is_not_disturbed(share, seconds):
    drawn = random.Random(f"{share}{seconds}")
    span_ms = 1_000 * seconds
    ticks = span_ms // 10
    tripped = 0
    for _ in range(1_000):
        busy_ms = 10 * sum(drawn.random() < share for _ in range(ticks))
        sampled = observe(
            client_ms=share * span_ms,
            client_core={"busy_ms": busy_ms},
            until_ms=span_ms,
        )
        tripped += "core 1" in detected(sampled, window_ms=span_ms)
    assert tripped == 0


def sampled_at(instants_ms):
    """Return samples of one process at these times."""
    samples = tuple(process("client", instant, 0) for instant in instants_ms)
    return Observation(process_samples=samples)


@pytest.mark.parametrize(
    ("instants_ms", "text"),
    [
        (range(0, 1000, 200), ""),
        (range(0, 1000, 250), "the observer took 4 of 10 samples"),
        (range(-900, 0, 100), "the observer took 0 of 10 samples"),
    ],
)
def test_a_delayed_observer_disturbs_a_trial(instants_ms, text):
    assert missed_samples(sampled_at(instants_ms), 1_000 * MS, every_ms=100) == text


@pytest.mark.parametrize(
    ("window_ms", "every_ms", "instants_ms"),
    [
        # As often as planned, which is more often than in a long trial.
        (500, 100, range(0, 500, 100)),
        (80, 16, range(0, 80, 16)),
        # The observer waits until the engine has released the core of both.
        (80, 16, (0, 40)),
        (15, 3, ()),
        # The trial was expected to be longer, or its length was unknown.
        (30, 16, ()),
        (190, 100, ()),
    ],
)
def test_a_short_trial_is_not_reported_as_disturbed(window_ms, every_ms, instants_ms):
    # An observer that has sampled before the window.
    observation = sampled_at((-50, *instants_ms))
    assert missed_samples(observation, window_ms * MS, every_ms) == ""


def test_samples_of_a_short_trial_are_compared_with_its_own_plan():
    text = "the observer took 1 of 5 samples"
    assert missed_samples(sampled_at([-5, 200]), 300 * MS, every_ms=60) == text


def test_an_observer_that_could_not_sample_was_not_delayed():
    assert missed_samples(Observation(), 1_000 * MS, every_ms=100) == ""


LIMIT_S = 300
CORES = os.cpu_count()


def noise(**counters):
    before = CpuSample(at_ns=0, busy_ns=0, own_ns=0)
    after = {"at_ns": 1000, "busy_ns": 0, "own_ns": 0} | counters
    return between(before, CpuSample(**after))


def test_others_are_everything_except_own_processes_and_interrupts():
    found = noise(busy_ns=900, own_ns=500, interrupts_ns=200, steal_ns=20)
    assert found.others_share == pytest.approx(0.2 / CORES)
    assert found.steal_share == pytest.approx(0.02 / CORES)
    assert found.elapsed_s == pytest.approx(1e-6)


def test_own_usage_beyond_the_count_is_not_that_of_others():
    assert noise(own_ns=1000).others_share == 0


def test_an_ended_process_has_not_waited():
    with started("true") as gone:
        assert waited_ns(gone.pid) >= 0
        gone.wait(time.monotonic() + LIMIT_S)
        assert waited_ns(gone.pid) == 0
