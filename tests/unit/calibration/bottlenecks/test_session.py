"""A known bottleneck is tried until it has enough verdicts, with made-up trials."""

from dataclasses import replace

import pytest

from autostrada.calibration.bottlenecks.cases import KnownBottleneck
from autostrada.calibration.bottlenecks.session import (
    BottleneckSession,
    describe_verdict,
)
from autostrada.calibration.network import NoNetworkError
from autostrada.calibration.session import Budget, summarize
from autostrada.machine.noise import Noise
from autostrada.stats.evidence import End, Evidence, Pacing
from autostrada.stats.verdict import Bottleneck, HeadRoom, Verdict

KNOWN = KnownBottleneck(bottleneck=Bottleneck.CLIENT_CPU)


def end(*, is_engine, utilization):
    return End(is_engine=is_engine, cpu_cores=utilization, utilization=utilization)


def evidence(client_share, disturbance=""):
    return Evidence(
        server=end(is_engine=True, utilization=0.25),
        client=end(is_engine=False, utilization=client_share),
        sender="server",
        pacing=Pacing.CONTINUOUS,
        disturbance=disturbance,
    )


RIGHT, WRONG, NOISY = (
    evidence(1.0),
    evidence(0.2),
    evidence(0.2, "others used 40% of core 1"),
)
RIGHT_ALL_THE_SAME = replace(NOISY, client=RIGHT.client)


IDLE, BUSY = (
    Noise(
        others_share=share, steal_share=0.0, waited_ns=0, pressure_ns=0, elapsed_s=1.0
    )
    for share in (0.0, 0.03)
)


def tried(trials, *measured, known=KNOWN, noise=IDLE):
    found = iter(measured)
    session = BottleneckSession(
        lambda _: (next(found), noise), int, Budget(repeats_s=60), trials=trials
    )
    return session.run(known)


def test_all_trials_must_have_the_right_verdict():
    outcome = tried(3, RIGHT, RIGHT, RIGHT)
    assert (outcome.verdict, outcome.attempts, outcome.reason) == ("pass", 3, "")
    [comparison] = outcome.comparisons
    assert (comparison.metric, comparison.seen) == ("correct", 3)
    assert outcome.note == (
        "Engine (server) busy 25% of the time; client at 100% of its cores; sockets of "
        "the client and the server not sampled. Head-room: 4× (load generator)."
    )


def test_one_wrong_verdict_ends_the_case():
    outcome = tried(3, RIGHT, WRONG)
    assert (outcome.verdict, outcome.attempts) == ("fail", 2)
    assert outcome.reason == "classified as unclear"
    assert "client at 20%" in outcome.note


@pytest.mark.parametrize(
    ("trials", "measured", "changes"),
    [
        # A disturbed trial is repeated; with the right verdict it counts half.
        (2, [NOISY, RIGHT, NOISY, RIGHT], {}),
        (1, [RIGHT_ALL_THE_SAME, NOISY, RIGHT_ALL_THE_SAME], {}),
        # A wrong verdict counts only on a host without other load.
        (2, [RIGHT, WRONG, RIGHT], {"noise": BUSY}),
        # The failure of a disturbed trial is no wrong verdict, unless it is known.
        (1, [replace(NOISY, faults="ended: closed"), RIGHT], {}),
        (
            1,
            [replace(NOISY, faults="4 connections were closed early")],
            {"known": KnownBottleneck(bottleneck=Bottleneck.BROKEN)},
        ),
        (1, [NOISY], {"known": KnownBottleneck(bottleneck=Bottleneck.MACHINE)}),
    ],
)
def test_a_case_passes_with_enough_right_verdicts(trials, measured, changes):
    outcome = tried(trials, *measured, **changes)
    assert (outcome.verdict, outcome.attempts) == ("pass", len(measured))


def test_on_a_machine_that_is_never_idle_the_case_stays_open():
    outcome = tried(1, *[WRONG] * 9, noise=BUSY)
    assert (outcome.verdict, outcome.comparisons) == ("disturbed", ())
    outcome = tried(1, *[NOISY] * 9)
    assert (outcome.verdict, outcome.comparisons) == ("disturbed", ())
    assert (outcome.attempts, outcome.reason) == (5, "others used 40% of core 1")


def test_all_retries_together_respect_their_time_limit():
    clock = iter(range(1000))
    budget = Budget(repeats_s=3, clock_s=lambda: next(clock))
    session = BottleneckSession(lambda _: (NOISY, IDLE), int, budget, trials=1)
    attempts = [session.run(KNOWN).attempts for _ in range(3)]
    assert attempts == [4, 1, 1]


def test_an_impossible_case_is_skipped():
    def refuse(_):
        raise NoNetworkError("a separate network needs root")

    outcome = BottleneckSession(refuse, int, Budget(repeats_s=0), trials=1).run(KNOWN)
    assert outcome.is_left_out
    assert outcome.reason == "not calibrated: a separate network needs root"
    assert summarize([outcome]) == "pass"


@pytest.mark.parametrize(
    ("room", "text"),
    [
        (None, "It broke."),
        (
            HeadRoom(factor=2.5, bottleneck=Bottleneck.LOAD_GENERATOR),
            "It broke. Head-room: 2.5× (load generator).",
        ),
        (
            HeadRoom(factor=1234.0, bottleneck=Bottleneck.SERVER_CPU),
            "It broke. Head-room: 1,234× (server CPU).",
        ),
    ],
)
def test_a_verdict_is_shown_with_its_head_room(room, text):
    judged = Verdict(bottleneck=Bottleneck.BROKEN, evidence="It broke.", head_room=room)
    assert describe_verdict(judged) == text
