"""When figures are not believed, and when noise is no excuse."""

import pytest

from autostrada.calibration.disturbance import disturbance
from autostrada.calibration.judgement import CaseRun
from autostrada.stats.buckets import Buckets

MS = 1_000_000


def test_a_quiet_machine_disturbs_nothing(case, case_run, noise):
    assert disturbance(case("delay-1ms"), case_run(), [noise()]) is None


@pytest.mark.parametrize(
    ("figures", "reason"),
    [
        ({"others_share": 0.5}, "others used 50% of the cores"),
        ({"steal_share": 0.02}, "2% of the time was stolen"),
        ({"waited_ns": 60 * MS}, "the server waited 60.0 ms for a core"),
    ],
)
def test_noise_disturbs_what_is_timed_and_excuses_no_count(
    case, case_run, noise, figures, reason
):
    noises = [noise(), noise(**figures)]
    assert disturbance(case("delay-20ms"), case_run(), noises) == reason
    assert disturbance(case("lose-echo"), case_run(), noises) is None


@pytest.mark.parametrize(("waited_ns", "is_quiet"), [(17 * MS, True), (18 * MS, False)])
def test_where_one_message_counts_the_server_may_wait_to_be_woken_for_each(
    case, case_run, noise, waited_ns, is_quiet
):
    noises = [noise(waited_ns=waited_ns)]
    assert disturbance(case("delay-20ms"), case_run(), noises) is None
    reason = disturbance(case("stall-100ms"), case_run(), noises)
    assert reason == (None if is_quiet else "the server waited 18.0 ms for a core")


@pytest.mark.parametrize(("waited_ns", "is_quiet"), [(39 * MS, True), (41 * MS, False)])
def test_in_a_closed_loop_waits_may_add_up_to_less_than_half_a_stall(
    case, case_run, noise, waited_ns, is_quiet
):
    reason = disturbance(case("stall-closed"), case_run(), [noise(waited_ns=waited_ns)])
    assert (reason is None) is is_quiet


def test_of_a_feed_nobody_may_wait_long(case, case_run, noise):
    noises = [noise(pressure_ns=11 * MS)]
    assert disturbance(case("rate-1234"), case_run(), noises) is None
    assert disturbance(case("burst-5"), case_run(), noises) == (
        "cores were waited for 11.0 ms"
    )


def test_a_client_that_was_late_itself_is_not_believed(case, case_run):
    late = Buckets(((7 * MS, 2), (1000, 98)))
    assert disturbance(case("delay-1ms"), case_run(send_delay_ns=late), []) == (
        "2 messages were sent 1 ms late"
    )
    reason = disturbance(case("stall-100ms"), case_run(send_delay_ns=late), [])
    assert reason == "the client was 7.0 ms late"
    paused = case_run(send_delay_ns=late, paused_ns=3 * MS)
    assert disturbance(case("pause-100ms"), paused, []) is None


def test_messages_that_were_not_sent_excuse_a_count(case, case_run):
    left_out = case_run(unsent=1, overdue=2)
    assert disturbance(case("lose-echo"), left_out, []) == ("3 messages were not sent")
    assert disturbance(case("close-after-5"), left_out, []) is None


def test_controls_that_differ_are_no_control(case, evidence):
    case_run = CaseRun(
        evidence=evidence(),
        controls=[
            evidence(response_time_ns=Buckets(((each, 1),))) for each in (100, 90_000)
        ],
    )
    assert disturbance(case("delay-1ms"), case_run, []) == (
        "the controls lie 90 µs apart"
    )
