"""Who else worked on a trial's cores: what is told, and what a quiet machine shows."""

import random

import pytest

from autostrada.machine.host import Host
from autostrada.machine.noise import (
    TICK_NS,
    disturbance,
    doubt_ns,
    missed_samples,
    places,
)
from autostrada.store.record import CoreSample, Observation, ProcessSample

MS = 1_000_000
SERVER, CLIENT = 0, 1


def host(server, client, **settings):
    return Host(
        server_cpus=frozenset(server),
        client_cpus=frozenset(client),
        observer_cpus=frozenset(server),
        **settings,
    )


APART = places(host({SERVER}, {CLIENT}))
NOTHING = {"busy_ns": 0, "idle_ns": 0, "steal_ns": 0, "softirq_ns": 0}


def process(name, instant_ms, cpu_ms):
    return ProcessSample(
        process=name,
        since_start_ns=instant_ms * MS,
        cpu_ns=int(cpu_ms * MS),
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


def core(number, instant_ms, *, busy_ms, steal_ms=0, softirq_ms=0, span_ms=None):
    """Return a look at a core that was idle when it was neither busy nor stolen."""
    span_ms = instant_ms if span_ms is None else span_ms
    return CoreSample(
        since_start_ns=instant_ms * MS,
        core=number,
        busy_ns=int(busy_ms * MS),
        idle_ns=int((span_ms - busy_ms - (steal_ms or 0)) * MS),
        steal_ns=None if steal_ms is None else int(steal_ms * MS),
        softirq_ns=int(softirq_ms * MS),
    )


def seen(
    *, client_ms=900, server_ms=200, client_core=None, server_core=None, until_ms=1_000
):
    """Return what was seen of a trial at its beginning and at its end."""
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


def told(observation, places=APART, window_ms=1_000):
    window_ns = None if window_ms is None else window_ms * MS
    return disturbance(observation, places, window_ns)


def test_a_quiet_machine_disturbs_nothing():
    assert told(seen()) == ""


def test_of_what_was_not_seen_nothing_is_said():
    assert told(Observation()) == ""
    once = Observation(
        process_samples=(process("client", 0, 5),),
        core_samples=(core(CLIENT, 0, busy_ms=900),),
    )
    assert told(once) == ""


def test_steal_is_told_with_its_core():
    assert told(seen(client_core={"steal_ms": 40})) == "steal 4% of core 1"
    assert told(seen(server_core={"steal_ms": 30})) == "steal 3% of core 0"


@pytest.mark.parametrize("steal_ms", [0, 10, None])
def test_a_tick_of_steal_may_be_none(steal_ms):
    short = seen(
        client_ms=90,
        client_core={"steal_ms": steal_ms},
        server_ms=100,
        until_ms=300,
    )
    assert told(short, window_ms=300) == ""


def test_the_work_of_others_on_the_clients_core():
    busy = seen(client_ms=700, client_core={"busy_ms": 1_000})
    assert told(busy) == "others used 30% of core 1"


def test_the_work_of_others_on_the_servers_core():
    assert told(seen(server_core={"busy_ms": 600})) == "others used 40% of core 0"


def test_work_on_a_core_that_nobody_runs_on_is_no_matter():
    quiet = seen()
    other = (core(2, 0, busy_ms=0), core(2, 1_000, busy_ms=1_000))
    assert (
        told(
            Observation(
                process_samples=quiet.process_samples,
                core_samples=quiet.core_samples + other,
            )
        )
        == ""
    )


def test_handling_what_the_network_brings_is_not_the_work_of_others():
    apart = seen(server_core={"busy_ms": 600, "softirq_ms": 400})
    assert told(apart) == ""


def test_where_it_counts_as_the_processes_own_it_hides_nobody():
    within = seen(server_ms=600, server_core={"busy_ms": 850, "softirq_ms": 400})
    assert told(within) == "others used 25% of core 0"
    hidden = seen(
        client_ms=700,
        client_core={"busy_ms": 1_000, "softirq_ms": 250},
        server_ms=500,
        server_core={"busy_ms": 520, "softirq_ms": 400},
    )
    assert told(hidden) == "others used 30% of core 1"


def test_all_that_disturbed_is_told():
    both = seen(
        client_ms=500,
        client_core={"busy_ms": 900, "steal_ms": 100},
    )
    assert told(both) == "steal 10% of core 1; others used 40% of core 1"


def test_only_the_window_counts():
    quiet = seen()
    later = Observation(
        process_samples=(*quiet.process_samples, process("client", 2_000, 900)),
        core_samples=(
            *quiet.core_samples,
            core(CLIENT, 2_000, busy_ms=1_900, steal_ms=100),
        ),
    )
    assert told(later) == ""
    assert told(later, window_ms=None) == (
        "steal 5% of core 1; others used 50% of core 1"
    )


def test_who_is_gone_has_no_share_in_what_follows():
    # The last look at the core comes after the client's end: nobody knows its part.
    quiet = seen()
    gone = Observation(
        process_samples=quiet.process_samples[:2],
        core_samples=quiet.core_samples,
    )
    assert told(gone) == ""


def test_on_a_shared_core_both_are_ours():
    shared = places(host({3}, {3}))
    assert [(place.cpus, place.processes) for place in shared] == [
        ({3}, {"client", "server"})
    ]
    looks = Observation(
        process_samples=seen(client_ms=500).process_samples,
        core_samples=(core(3, 0, busy_ms=0), core(3, 1_000, busy_ms=720)),
    )
    assert told(looks, shared) == ""
    busy = Observation(
        process_samples=seen(client_ms=500).process_samples,
        core_samples=(core(3, 0, busy_ms=0), core(3, 1_000, busy_ms=990)),
    )
    assert told(busy, shared) == "others used 29% of core 3"


def test_who_runs_anywhere_is_looked_for_everywhere():
    anywhere = places(host({0, 1}, {0, 1}, is_pinned=False))
    assert told(seen(client_ms=700), anywhere) == ""
    busy = seen(client_ms=300, client_core={"busy_ms": 800})
    assert told(busy, anywhere) == "others used 25% of cores 0,1"


def test_of_cores_that_both_ends_share_both_are_looked_for_on_each():
    assert places(host({0, 1}, {0, 1})) == places(host({0, 1}, {0, 1}, is_pinned=False))


def test_nothing_is_doubted_of_a_core_that_never_rests_but_the_ticks():
    assert doubt_ns(1_000 * MS, 1_000 * MS) == 2 * TICK_NS
    assert doubt_ns(500 * MS, 1_000 * MS) > 10 * TICK_NS


@pytest.mark.parametrize("share", [0.05, 0.3, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("seconds", [1, 10])
def test_a_quiet_machine_that_counts_by_ticks_is_not_called_disturbed(share, seconds):
    drawn = random.Random(f"{share}{seconds}")
    span_ms = 1_000 * seconds
    ticks = span_ms // 10
    tripped = 0
    for _ in range(1_000):
        busy_ms = 10 * sum(drawn.random() < share for _ in range(ticks))
        looks = seen(
            client_ms=share * span_ms,
            client_core={"busy_ms": busy_ms},
            until_ms=span_ms,
        )
        tripped += "core 1" in told(looks, window_ms=span_ms)
    assert tripped == 0


def looked(instants_ms):
    """Return looks at one process, at these instants."""
    looks = tuple(process("client", instant, 0) for instant in instants_ms)
    return Observation(process_samples=looks)


@pytest.mark.parametrize(
    ("looks_ms", "words"),
    [
        (range(0, 1000, 200), ""),
        (range(0, 1000, 250), "the observer took 4 of 10 samples"),
        (range(-900, 0, 100), "the observer took 0 of 10 samples"),
    ],
)
def test_an_observer_that_was_held_up_disturbs_a_trial(looks_ms, words):
    assert missed_samples(looked(looks_ms), 1_000 * MS, every_ms=100) == words


@pytest.mark.parametrize(
    ("window_ms", "every_ms", "looks_ms"),
    [
        # As often as planned, which is more often than in a long one.
        (500, 100, range(0, 500, 100)),
        (80, 16, range(0, 80, 16)),
        # It waits until the engine has had its turn on the core of both.
        (80, 16, (0, 40)),
        (15, 3, ()),
        # One that was expected to be longer, or nobody knew how long it is.
        (30, 16, ()),
        (190, 100, ()),
    ],
)
def test_a_short_trial_is_not_taken_for_a_disturbed_one(window_ms, every_ms, looks_ms):
    # There is an observer, which looked before.
    seen = looked((-50, *looks_ms))
    assert missed_samples(seen, window_ms * MS, every_ms) == ""


def test_looks_of_a_short_trial_are_counted_against_those_planned_for_it():
    words = "the observer took 1 of 5 samples"
    assert missed_samples(looked([-5, 200]), 300 * MS, every_ms=60) == words


def test_who_could_not_look_at_all_was_not_held_up():
    assert missed_samples(Observation(), 1_000 * MS, every_ms=100) == ""
