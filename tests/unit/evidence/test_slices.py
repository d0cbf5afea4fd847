"""The samples of a trial within its slices, and what its CPU time tells."""

from dataclasses import replace

import pytest
from tests.unit.blank import blank, process_sample

from autostrada.evidence.ends import total_from_samples
from autostrada.evidence.slices import slice_metrics, with_speeds, within_slices
from autostrada.store.record import CoreSample, Observation, SliceRow

MS = 1_000_000


def turn(begin_ms, *, duration_ms=300, messages=1000, server_us=2000):
    return SliceRow(
        since_start_ns=begin_ms * MS,
        duration_ns=duration_ms * MS,
        messages=messages,
        server_cpu_ns=None if server_us is None else server_us * 1000,
        client_cpu_ns=None,
    )


def server_sample(at_ms, cpu_ms, **values):
    values |= {"cpu_ns": cpu_ms * MS, "resident_bytes": at_ms}
    return process_sample("server", at_ms * MS, **values, peak_resident_bytes=0)


def core_sample(at_ms, core, **values):
    counted = {"busy_ns": 0, "idle_ns": 0, "softirq_ns": 0} | values
    return blank(CoreSample, None, core=core, since_start_ns=at_ms * MS, **counted)


SLICES = [turn(0), turn(10_000)]


def test_what_was_used_between_slices_is_left_out():
    # Half of a core in the slices, a whole core between them.
    samples = [
        server_sample(at_ms, cpu_ms)
        for at_ms, cpu_ms in [
            (-50, 0),
            (50, 100),
            (250, 200),
            (5000, 4950),
            (10_050, 10_000),
            (10_250, 10_100),
        ]
    ]
    found = within_slices(Observation(process_samples=tuple(samples)), SLICES)
    assert [
        (sample.since_start_ns // MS, sample.cpu_ns // MS)
        for sample in found.process_samples
    ] == [(-50, 0), (50, 100), (250, 200), (250, 200), (450, 300)]
    total = total_from_samples("server", found, 600 * MS)
    assert total.cpu_ns == 300 * MS
    assert total.resident_bytes == 10_250


def test_one_sample_in_each_slice_tells_no_usage():
    samples = (server_sample(100, 50), server_sample(10_100, 10_050))
    found = within_slices(Observation(process_samples=samples), SLICES)
    assert total_from_samples("server", found, 600 * MS) is None


def test_each_core_has_counters_of_its_own():
    samples = [
        core_sample(at_ms, core, busy_ns=at_ms * core * MS)
        for at_ms in (100, 200, 10_100, 10_200)
        for core in (0, 1)
    ]
    found = within_slices(Observation(core_samples=tuple(samples)), SLICES)
    last = {sample.core: sample for sample in found.core_samples}
    assert {core: sample.busy_ns // MS for core, sample in last.items()} == {
        0: 0,
        1: 300,
    }
    assert last[1].steal_ns is None


def test_without_slices_all_samples_remain():
    observation = Observation(process_samples=(server_sample(5, 5),))
    assert within_slices(observation, ()) == observation


def test_the_cost_of_a_message_is_that_of_all_slices_together():
    slices = [turn(0, messages=1000, server_us=2000), turn(1, messages=3000)]
    found = {
        each.metric: (each.process, each.value)
        for each in slice_metrics(slices, turn(0), Observation(), of_server=True)
    }
    assert found == {
        "messages_per_cpu_s": ("server", pytest.approx(1_000_000)),
        "slices_cost_ratio": ("server", pytest.approx(0.5)),
    }


@pytest.mark.parametrize(
    "slices",
    [[], [turn(0, server_us=None)], [turn(0, messages=0)], [turn(0, server_us=0)]],
)
def test_without_messages_or_cpu_time_nothing_is_told(slices):
    assert not list(slice_metrics(slices, None, Observation(), of_server=True))


def test_without_a_time_before_the_slices_there_is_no_comparison_with_it():
    (found,) = slice_metrics([turn(0)], None, Observation(), of_server=True)
    assert found.metric == "messages_per_cpu_s"


def test_a_turn_settles_for_as_long_as_messages_are_missing_at_its_beginning():
    slices = [turn(0, messages=2000), turn(1000, messages=4000)]
    settling = [replace(turn(0, messages=500), duration_ns=60 * MS)] * 3
    *_, found = slice_metrics(
        slices, None, Observation(), of_server=True, settling=settling
    )
    rate_per_ms = 6000 / sum(each.duration_ns / MS for each in slices)
    assert found.metric == "slices_settling_ms"
    assert found.value == pytest.approx(60 - 500 / rate_per_ms)


def test_messages_a_wakeup_are_those_of_the_sampled_part_of_the_slices():
    # 100 waits in a third of the time in which 3,000 messages were exchanged.
    samples = [
        server_sample(at_ms, at_ms, switches_voluntary=waits)
        for at_ms, waits in [(-100, 0), (50, 500), (250, 600)]
    ]
    slices = [turn(0, messages=1000), turn(1000, messages=2000)]
    found = slice_metrics(
        slices, None, Observation(process_samples=tuple(samples)), of_server=True
    )
    assert [each.value for each in found if each.metric == "messages_per_wakeup"] == [
        pytest.approx(10)
    ]


def speed_sample(at_ms, core, loops, loops_us, messages=None):
    return core_sample(
        at_ms,
        core,
        loops=loops,
        loops_ns=None if loops_us is None else loops_us * 1000,
        messages=messages,
        messages_ns=None if messages is None else messages * 100 + at_ms,
    )


def test_a_slice_has_the_speed_of_the_cores_of_each_end():
    samples = [
        speed_sample(at_ms, core, loops, loops_us, messages if core == 0 else None)
        for at_ms, messages, of_cores in [
            (50, 20, [(10, 40), (10, 50), (None, None)]),
            (250, 40, [(60, 240), (60, 350), (None, None)]),
            # Between the slices the loop takes longer.
            (5000, 60, [(100, 900), (100, 900), (None, None)]),
            (10_050, 80, [(200, 1000), (200, 2000), (None, None)]),
        ]
        for core, (loops, loops_us) in enumerate(of_cores)
    ]
    cpus = {"server": frozenset({1}), "client": frozenset({0, 1, 2})}
    first, second = with_speeds(SLICES, samples, cpus)
    assert (first.server_loop_ns, first.client_loop_ns) == (6000, 5000)
    assert first.core_message_ns == 110
    # One sample is not enough.
    assert second == SLICES[1]
    assert with_speeds([], samples, cpus) == ()
