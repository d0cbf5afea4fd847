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
    """Returns metrics with their noise, the last ones forever; records the cases."""

    def __init__(self, evidence, noise, *taken):
        self._taken = [(evidence(**each), noise(**shares)) for each, shares in taken]
        self.measured = []

    def measure(self, case, *, is_healthy=False):
        self.measured.append("control" if is_healthy else case.name)
        return self._taken.pop(0) if len(self._taken) > 1 else self._taken[0]


@pytest.fixture
def rig(evidence, noise):
    """Return a function that makes a rig of metrics and noises."""
    return lambda *taken: Rig(evidence, noise, *taken)


def run(rig, *cases, **limits):
    """Run cases; return the outcome of each, in the order of the decisions."""
    budget = Budget(**{"repeats_s": 60} | limits)
    return list(Session(rig, int, budget).run(cases))


def ticking():
    return iter(range(1000)).__next__


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
    case, rig, taken, verdict
):
    [outcome] = run(rig(*taken), case("burst-5"))
    assert (outcome.verdict, outcome.attempts) == (FaultVerdict(verdict), len(taken))


WRONG = LOST | {"missing": 0}


@pytest.mark.parametrize(
    ("taken", "verdict"),
    [
        ([(LOST, IDLE)], "pass"),
        ([(WRONG, IDLE)], "fail"),
        ([(WRONG, BUSY), (WRONG, BUSY)], "fail"),
        ([(WRONG, BUSY), (LOST, BUSY), (LOST, BUSY)], "pass"),
    ],
)
def test_a_count_is_decided_by_one_run_on_an_idle_host_otherwise_by_two(
    case, rig, taken, verdict
):
    measuring = rig(*taken)
    [outcome] = run(measuring, case("lose-echo"))
    assert (outcome.verdict, outcome.attempts) == (FaultVerdict(verdict), len(taken))
    assert measuring.measured == ["lose-echo"] * len(taken)


def test_a_disturbed_case_is_measured_again_after_all_others(case, rig):
    measuring = rig((LATE, BUSY), (LOST, IDLE), (BURSTS, IDLE))
    outcomes = run(measuring, case("burst-5"), case("lose-echo"))
    assert [each.case.name for each in outcomes] == ["lose-echo", "burst-5"]
    assert [each.verdict for each in outcomes] == [FaultVerdict.PASS, FaultVerdict.PASS]
    assert measuring.measured == ["burst-5", "lose-echo", "burst-5"]


def test_a_case_that_is_always_disturbed_has_no_metrics(case, rig):
    stolen = rig(({"burst_max": 9}, {"steal_share": 0.5}))
    [outcome] = run(stolen, case("burst-5"), clock_s=ticking())
    assert (outcome.verdict, outcome.comparisons) == (FaultVerdict.DISTURBED, ())
    assert outcome.reason == "50% of the time was stolen"


def test_no_measurement_begins_after_the_time_limit(case, rig):
    cases = [case("lose-echo")] * 3
    outcomes = run(rig((LOST, IDLE)), *cases, total_s=2.5, clock_s=ticking())
    assert [each.verdict for each in outcomes] == ["pass", "pass", "disturbed"]
    assert outcomes[-1].reason == "no time was left"


def test_a_control_is_measured_before_and_after_and_used_by_the_next(case, rig):
    def answered(delay_ms):
        times = Buckets(((delay_ms * 1_000_000 + 1000, 1),))
        return {"echoed": 3500, "response_time_ns": times}, IDLE

    measuring = rig(*map(answered, (0, 1, 0, 20, 0)))
    run(measuring, case("delay-1ms"), case("delay-20ms"))
    assert measuring.measured == [
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
