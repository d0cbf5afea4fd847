"""When metrics are not trusted, and when noise excuses nothing."""

import pytest

from autostrada.calibration.disturbance import disturbance
from autostrada.calibration.expectation import CaseRun
from autostrada.stats.buckets import Buckets

MS = 1_000_000


def test_an_idle_machine_disturbs_nothing(case, case_run, noise):
    assert disturbance(case("delay-1ms"), case_run(), [noise()]) is None


@pytest.mark.parametrize(
    ("metrics", "reason"),
    [
        ({"others_share": 0.5}, "others used 50% of the cores"),
        ({"steal_share": 0.02}, "2% of the time was stolen"),
        ({"waited_ns": 60 * MS}, "the server waited 60.0 ms for a core"),
    ],
)
def test_noise_disturbs_times_and_excuses_no_count(
    case, case_run, noise, metrics, reason
):
    noises = [noise(), noise(**metrics)]
    assert disturbance(case("delay-20ms"), case_run(), noises) == reason
    assert disturbance(case("lose-echo"), case_run(), noises) is None


@pytest.mark.parametrize(("waited_ns", "is_quiet"), [(17 * MS, True), (18 * MS, False)])
def test_a_case_about_single_messages_allows_wakeups_per_message(
    case, case_run, noise, waited_ns, is_quiet
):
    noises = [noise(waited_ns=waited_ns)]
    assert disturbance(case("delay-20ms"), case_run(), noises) is None
    reason = disturbance(case("stall-100ms"), case_run(), noises)
    assert reason == (None if is_quiet else "the server waited 18.0 ms for a core")


@pytest.mark.parametrize(("waited_ns", "is_quiet"), [(39 * MS, True), (41 * MS, False)])
def test_a_closed_loop_allows_waits_of_less_than_half_a_stall(
    case, case_run, noise, waited_ns, is_quiet
):
    reason = disturbance(case("stall-closed"), case_run(), [noise(waited_ns=waited_ns)])
    assert (reason is None) is is_quiet


def test_a_feed_allows_no_long_waits(case, case_run, noise):
    noises = [noise(pressure_ns=11 * MS)]
    assert disturbance(case("rate-1234"), case_run(), noises) is None
    assert disturbance(case("burst-5"), case_run(), noises) == (
        "processes waited 11.0 ms for a core"
    )


def test_a_late_client_is_not_trusted(case, case_run):
    late = Buckets(((7 * MS, 2), (1000, 98)))
    assert disturbance(case("delay-1ms"), case_run(send_delay_ns=late), []) == (
        "2 messages were sent 1 ms late"
    )
    reason = disturbance(case("stall-100ms"), case_run(send_delay_ns=late), [])
    assert reason == "the client was 7.0 ms late"
    paused = case_run(send_delay_ns=late, paused_ns=3 * MS)
    assert disturbance(case("pause-100ms"), paused, []) is None


def test_unsent_messages_excuse_a_count(case, case_run):
    left_out = case_run(unsent=1, overdue=2)
    assert disturbance(case("lose-echo"), left_out, []) == ("3 messages were not sent")
    assert disturbance(case("close-after-5"), left_out, []) is None


def test_controls_that_differ_are_no_controls(case, evidence):
    case_run = CaseRun(
        evidence=evidence(),
        controls=[
            evidence(response_time_ns=Buckets(((each, 1),))) for each in (100, 90_000)
        ],
    )
    assert disturbance(case("delay-1ms"), case_run, []) == (
        "the controls differ by 90 µs"
    )
