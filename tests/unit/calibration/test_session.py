"""Measured again where it was disturbed, and judged where it was not."""

import pytest

from autostrada.calibration.session import (
    ATTEMPTS_MAX,
    REPEATS_MAX,
    Outcome,
    Session,
    Verdict,
    summarize,
)
from autostrada.stats.buckets import Buckets

LOST = {"sent": 2000, "echoed": 1716, "missing": 284, "gaps": 284}


class Rig:
    """Gives the noises it is told to, and notes what was measured."""

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


def test_a_case_that_is_shown_passes_at_once(case, evidence, noise):
    rig = Rig(evidence(**LOST), forever(noise()))
    outcome = Session(rig).run_case(case("lose-echo"))
    assert (outcome.verdict, outcome.attempts) == (Verdict.PASS, 1)
    assert rig.measured == ["lose-echo"]


BURSTS = {"burst_max": 5, "judged": 100, "on_time": 20}
UNEVEN = BURSTS | {"on_time": 10}


@pytest.mark.parametrize(
    ("taken", "verdict", "attempts"),
    [
        ([BURSTS], "pass", 1),
        ([UNEVEN, BURSTS, BURSTS], "pass", 3),
        ([UNEVEN, BURSTS, UNEVEN], "fail", 3),
        ([UNEVEN, UNEVEN], "fail", 2),
    ],
)
def test_what_is_timed_is_decided_by_the_first_that_fits_or_by_two_of_three(
    case, evidence, noise, taken, verdict, attempts
):
    rig = Rig(None, forever(noise()))
    figures = iter(taken)
    rig.measure = lambda *_, **__: (evidence(**next(figures)), noise())
    outcome = Session(rig).run_case(case("burst-5"))
    assert (outcome.verdict, outcome.attempts) == (Verdict(verdict), attempts)


def test_a_count_that_is_not_shown_fails_without_a_second_try(case, evidence, noise):
    rig = Rig(evidence(**LOST | {"missing": 0}), forever(noise()))
    outcome = Session(rig).run_case(case("lose-echo"))
    assert (outcome.verdict, outcome.attempts) == (Verdict.FAIL, 1)


def test_a_disturbed_case_is_measured_again(case, evidence, noise):
    noises = iter([noise(others_share=0.9), noise()])
    rig = Rig(evidence(burst_max=5, judged=100, on_time=20), noises)
    told = []
    outcome = Session(rig).run_case(case("burst-5"), announce=told.append)
    assert (outcome.verdict, outcome.attempts) == (Verdict.PASS, 2)
    assert told == ["burst-5: others used 90% of the cores"]


def test_one_that_is_never_quiet_is_disturbed_and_has_no_figures(case, evidence, noise):
    rig = Rig(evidence(burst_max=9), forever(noise(steal_share=0.5)))
    outcome = Session(rig).run_case(case("burst-5"))
    assert (outcome.verdict, outcome.comparisons) == (Verdict.DISTURBED, ())
    assert outcome.attempts == ATTEMPTS_MAX
    assert outcome.reason == "50% of the time was stolen"


def test_on_a_machine_that_is_never_quiet_all_comes_to_an_end(case, evidence, noise):
    rig = Rig(evidence(), forever(noise(steal_share=0.5)))
    session = Session(rig)
    cases = REPEATS_MAX
    attempts = [session.run_case(case("burst-5")).attempts for _ in range(cases)]
    assert sum(attempts) == REPEATS_MAX + cases
    assert attempts[-1] == 1


def delayed(evidence, delay_ms):
    times = Buckets(((delay_ms * 1_000_000 + 1000, 1),))
    return evidence(echoed=3500, response_time_ns=times)


def test_a_control_is_measured_before_and_after_and_serves_the_next(
    case, evidence, noise
):
    rig = Rig(None, forever(noise()))
    rig.measure = lambda case, *, is_healthy=False: (
        rig.measured.append("control" if is_healthy else case.name),
        delayed(evidence, 0 if is_healthy else case.faults["delay_ms"]),
        noise(),
    )[1:]
    session = Session(rig)
    session.run_case(case("delay-1ms"))
    session.run_case(case("delay-20ms"))
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
        Outcome(
            case=case("burst-5"),
            verdict=Verdict(verdict),
            comparisons=(),
            reason="",
            attempts=1,
        )
        for verdict in verdicts
    ]
    assert summarize(outcomes) is Verdict(of_all)
