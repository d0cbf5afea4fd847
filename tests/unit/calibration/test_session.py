"""Disturbed cases are measured again, others are decided."""

from types import SimpleNamespace

import pytest

from autostrada.calibration.bottlenecks import known_bottlenecks
from autostrada.calibration.fault_cases import FaultTopology
from autostrada.calibration.parser import Reading
from autostrada.calibration.session import (
    Budget,
    FaultVerdict,
    Session,
    describe_verdict,
    summarize,
)
from autostrada.errors import UsageError
from autostrada.stats.buckets import Buckets
from autostrada.stats.evidence import End, Evidence, Pacing
from autostrada.stats.verdict import Bottleneck, HeadRoom, Verdict

LOST = {"sent": 2000, "echoed": 1716, "missing": 284, "gaps": 284}


class Rig:
    """Returns metrics with their noise, the last ones forever; records the cases."""

    def __init__(self, noise, *taken, late_ns=100_000):
        self._late_ns = late_ns
        self._taken = [(Reading(**each), noise(**shares)) for each, shares in taken]
        self.measured = []

    def measure(self, case):
        self.measured.append(case.name)
        return self._taken.pop(0) if len(self._taken) > 1 else self._taken[0]

    def timer_lateness_ns(self):
        return Buckets(((self._late_ns, 1),))


@pytest.fixture
def rig(noise):
    """Return a function that makes a rig of metrics and noises."""
    return lambda *taken, **late: Rig(noise, *taken, **late)


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


@pytest.mark.parametrize(("late_ns", "verdict"), [(400_000, "fail"), (600_000, "pass")])
def test_late_timers_of_the_host_may_explain_a_duration(case, rig, late_ns, verdict):
    measuring = rig((LATE, IDLE), (LATE, IDLE), (BURSTS, IDLE), late_ns=late_ns)
    [outcome] = run(measuring, case("burst-5"))
    assert outcome.verdict == FaultVerdict(verdict)


def test_late_timers_do_not_explain_a_count(case, rig):
    measuring = rig((WRONG, IDLE), (WRONG, IDLE), late_ns=8_000_000)
    [outcome] = run(measuring, case("lose-echo"))
    assert outcome.verdict is FaultVerdict.FAIL


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
    control = "control"
    assert measuring.measured == [control, "delay-1ms", control, "delay-20ms", control]


@pytest.mark.parametrize(
    ("verdicts", "of_all"),
    [
        (["pass", "pass"], "pass"),
        (["pass", "disturbed"], "disturbed"),
        (["disturbed", "fail", "pass"], "fail"),
    ],
)
def test_one_failure_fails_and_one_disturbance_leaves_it_open(
    outcome, verdicts, of_all
):
    assert summarize([*map(outcome, verdicts)]) is FaultVerdict(of_all)


BOTTLENECKS = {known.bottleneck: known for known in known_bottlenecks()}


def pushed(client_share, disturbance="", faults=""):
    """Return the evidence of a push whose client is busy for a share of the time."""
    server, client = (
        End(is_engine=is_engine, cpu_cores=share, utilization=share)
        for is_engine, share in ((True, 0.25), (False, client_share))
    )
    return Evidence(
        server=server,
        client=client,
        sender="server",
        pacing=Pacing.CONTINUOUS,
        disturbance=disturbance,
        faults=faults,
    )


OTHERS = "others used 40% of core 1"
CORRECT, UNCLEAR, HIDDEN = pushed(1.0), pushed(0.2), pushed(0.2, OTHERS)
CORRECT_ALL_THE_SAME = pushed(1.0, OTHERS)


@pytest.fixture
def tried(noise):
    """Return a function that tries a known bottleneck; returns the outcome."""

    def run_trials(trials, *measured, bottleneck=Bottleneck.CLIENT_CPU, shares=IDLE):
        found = iter(measured)
        rig = SimpleNamespace(
            try_bottleneck=lambda _: (next(found), noise(**shares)),
            timer_lateness_ns=Buckets,
        )
        budget = Budget(repeats_s=4, clock_s=ticking())
        session = Session(rig, int, budget, trials=trials)
        [outcome] = session.run([BOTTLENECKS[bottleneck]])
        return outcome

    return run_trials


def test_all_trials_must_have_the_right_verdict(tried):
    outcome = tried(3, CORRECT, CORRECT, CORRECT)
    assert (outcome.verdict, outcome.attempts, outcome.reason) == ("pass", 3, "")
    [comparison] = outcome.comparisons
    found = (comparison.metric, comparison.seen, comparison.expected)
    assert found == ("correct", 3, 3)
    assert outcome.note == (
        "Engine (server) busy 25% of the time; client at 100% of its cores; sockets of "
        "the client and the server not sampled. Head-room: 4× (load generator)."
    )


def test_one_wrong_verdict_ends_the_case(tried):
    outcome = tried(3, CORRECT, UNCLEAR)
    assert (outcome.verdict, outcome.attempts) == ("fail", 2)
    [comparison] = outcome.comparisons
    assert (comparison.seen, comparison.expected) == (1, 3)
    assert outcome.reason == "classified as unclear"
    assert "client at 20%" in outcome.note


@pytest.mark.parametrize(
    ("trials", "measured", "changes"),
    [
        # A disturbed trial is repeated; with the right verdict it counts half.
        (2, [HIDDEN, CORRECT, HIDDEN, CORRECT], {}),
        (1, [CORRECT_ALL_THE_SAME, HIDDEN, CORRECT_ALL_THE_SAME], {}),
        # A wrong verdict counts only on a host without other load.
        (2, [CORRECT, UNCLEAR, CORRECT], {"shares": NOISY}),
        # The failure of a disturbed trial is no wrong verdict, unless it is known.
        (1, [pushed(0.2, OTHERS, "ended: closed"), CORRECT], {}),
        (
            1,
            [pushed(0.2, OTHERS, "4 connections were closed early")],
            {"bottleneck": Bottleneck.BROKEN},
        ),
        (1, [HIDDEN], {"bottleneck": Bottleneck.MACHINE}),
    ],
)
def test_a_bottleneck_passes_with_enough_right_verdicts(
    tried, trials, measured, changes
):
    outcome = tried(trials, *measured, **changes)
    assert (outcome.verdict, outcome.attempts) == ("pass", len(measured))


def test_on_a_machine_that_is_never_idle_the_case_stays_open(tried):
    outcome = tried(1, *[UNCLEAR] * 9, shares=NOISY)
    assert (outcome.verdict, outcome.comparisons) == ("disturbed", ())
    outcome = tried(1, *[HIDDEN] * 9)
    assert (outcome.verdict, outcome.comparisons) == ("disturbed", ())
    assert (outcome.attempts, outcome.reason) == (5, OTHERS)


def test_an_impossible_case_is_skipped(case):
    def refuse(_):
        raise UsageError("a network namespace needs root")

    rig = SimpleNamespace(measure=refuse, try_bottleneck=refuse)
    push = case("push-bridge", FaultTopology.PEER_CLIENT)
    outcomes = run(rig, push, BOTTLENECKS[Bottleneck.NETWORK])
    assert [outcome.is_left_out for outcome in outcomes] == [True, True]
    reason = "not calibrated: a network namespace needs root"
    assert {outcome.reason for outcome in outcomes} == {reason}
    assert summarize(outcomes) == "pass"


@pytest.mark.parametrize(
    ("room", "text"),
    [
        (None, "It broke."),
        (
            HeadRoom(factor=1234.0, bottleneck=Bottleneck.SERVER_CPU),
            "It broke. Head-room: 1,234× (server CPU).",
        ),
    ],
)
def test_a_verdict_is_shown_with_its_head_room(room, text):
    judged = Verdict(bottleneck=Bottleneck.BROKEN, evidence="It broke.", head_room=room)
    assert describe_verdict(judged) == text
