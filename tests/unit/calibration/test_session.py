"""Disturbed cases are measured again, others are decided."""

import pytest

from autostrada.calibration.session import (
    Budget,
    FaultOutcome,
    FaultVerdict,
    Session,
    summarize,
)
from autostrada.stats.buckets import Buckets

LOST = {"sent": 2000, "echoed": 1716, "missing": 284, "gaps": 284}


class Rig:
    """Returns the given noise, and records what was measured."""

    def __init__(self, evidence, noises):
        self._evidence = evidence
        self._noises = noises
        self.measured = []

    def measure(self, case, *, is_healthy=False):
        self.measured.append("control" if is_healthy else case.name)
        return self._evidence, next(self._noises)


def forever(value):
    while True:
        yield value


def run(rig, *cases, **limits):
    """Run cases; return the outcome of each, in the order of the decisions."""
    budget = Budget(**{"repeats_s": 60} | limits)
    return list(Session(rig, int, budget).run(cases))


def measuring(evidence, *measurements):
    """Return a rig that yields these metrics, each with its noise."""
    rig = Rig(None, forever(None))
    taken = iter(measurements)

    def measure(case, *, is_healthy=False):
        rig.measured.append(case.name)
        metrics, noise = next(taken)
        return evidence(**metrics), noise

    rig.measure = measure
    return rig


def test_a_confirmed_case_passes_at_once(case, evidence, noise):
    rig = Rig(evidence(**LOST), forever(noise()))
    [outcome] = run(rig, case("lose-echo"))
    assert (outcome.verdict, outcome.attempts) == (FaultVerdict.PASS, 1)
    assert rig.measured == ["lose-echo"]


BURSTS = {"burst_max": 5, "judged": 100, "on_time": 20}
LATE = BURSTS | {"on_time": 10}
SPLIT = BURSTS | {"burst_max": 4}
NONE = BURSTS | {"burst_max": 0}
IDLE, NOISY, BUSY = {}, {"others_share": 0.03}, {"others_share": 0.9}


@pytest.mark.parametrize(
    ("taken", "verdict"),
    [
        ([(BURSTS, IDLE)], "pass"),
        ([(LATE, IDLE), (BURSTS, IDLE), (BURSTS, IDLE)], "pass"),
        ([(LATE, IDLE), (BURSTS, IDLE), (LATE, IDLE)], "fail"),
        ([(LATE, IDLE), (LATE, IDLE)], "fail"),
        ([(SPLIT, NOISY), (SPLIT, NOISY)], "fail"),
        ([(LATE, NOISY)] * 5 + [(BURSTS, NOISY)], "pass"),
        ([(LATE, BUSY), (SPLIT, BUSY), (BURSTS, NOISY)], "pass"),
        ([(BURSTS, BUSY), (BURSTS, BUSY)], "pass"),
        ([(NONE, BUSY), (NONE, BUSY)], "fail"),
    ],
)
def test_a_duration_is_decided_by_what_noise_does_not_explain(
    case, evidence, noise, taken, verdict
):
    measurements = [(metrics, noise(**shares)) for metrics, shares in taken]
    rig = measuring(evidence, *measurements)
    [outcome] = run(rig, case("burst-5"))
    assert (outcome.verdict, outcome.attempts) == (FaultVerdict(verdict), len(taken))


WRONG = LOST | {"missing": 0}


@pytest.mark.parametrize(
    ("taken", "verdict"),
    [
        ([(WRONG, IDLE)], "fail"),
        ([(WRONG, BUSY), (WRONG, BUSY)], "fail"),
        ([(WRONG, BUSY), (LOST, BUSY), (LOST, BUSY)], "pass"),
    ],
)
def test_a_count_is_decided_by_one_run_on_an_idle_host_otherwise_by_two(
    case, evidence, noise, taken, verdict
):
    measurements = [(metrics, noise(**shares)) for metrics, shares in taken]
    rig = measuring(evidence, *measurements)
    [outcome] = run(rig, case("lose-echo"))
    assert (outcome.verdict, outcome.attempts) == (FaultVerdict(verdict), len(taken))


def test_a_disturbed_case_is_measured_again_after_all_others(case, evidence, noise):
    rig = measuring(evidence, (LATE, noise(**BUSY)), (LOST, noise()), (BURSTS, noise()))
    outcomes = run(rig, case("burst-5"), case("lose-echo"))
    assert [each.case.name for each in outcomes] == ["lose-echo", "burst-5"]
    assert [each.verdict for each in outcomes] == [FaultVerdict.PASS, FaultVerdict.PASS]
    assert rig.measured == ["burst-5", "lose-echo", "burst-5"]


def test_a_case_that_is_always_disturbed_has_no_metrics(case, evidence, noise):
    clock = iter(range(1000))
    rig = Rig(evidence(burst_max=9), forever(noise(steal_share=0.5)))
    [outcome] = run(rig, case("burst-5"), clock_s=lambda: next(clock))
    assert (outcome.verdict, outcome.comparisons) == (FaultVerdict.DISTURBED, ())
    assert outcome.reason == "50% of the time was stolen"


def test_no_measurement_begins_after_the_time_limit(case, evidence, noise):
    clock = iter(range(1000))
    rig = Rig(evidence(**LOST), forever(noise()))
    cases = [case("lose-echo")] * 3
    outcomes = run(rig, *cases, total_s=2.5, clock_s=lambda: next(clock))
    assert [each.verdict for each in outcomes] == ["pass", "pass", "disturbed"]
    assert outcomes[-1].reason == "no time was left"


def delayed(evidence, delay_ms):
    times = Buckets(((delay_ms * 1_000_000 + 1000, 1),))
    return evidence(echoed=3500, response_time_ns=times)


def test_a_control_is_measured_before_and_after_and_used_by_the_next(
    case, evidence, noise
):
    rig = Rig(None, forever(noise()))
    rig.measure = lambda case, *, is_healthy=False: (
        rig.measured.append("control" if is_healthy else case.name),
        delayed(evidence, 0 if is_healthy else case.faults["delay_ms"]),
        noise(),
    )[1:]
    run(rig, case("delay-1ms"), case("delay-20ms"))
    assert rig.measured == [
        "control",
        "delay-1ms",
        "control",
        "delay-20ms",
        "control",
    ]


@pytest.mark.parametrize(
    ("verdicts", "of_all"),
    [
        (["pass", "pass"], "pass"),
        (["pass", "disturbed"], "disturbed"),
        (["disturbed", "fail", "pass"], "fail"),
    ],
)
def test_one_failure_fails_and_one_disturbance_leaves_it_open(case, verdicts, of_all):
    outcomes = [
        FaultOutcome(
            case=case("burst-5"),
            verdict=FaultVerdict(verdict),
            comparisons=(),
            reason="",
            attempts=1,
        )
        for verdict in verdicts
    ]
    assert summarize(outcomes) is FaultVerdict(of_all)
