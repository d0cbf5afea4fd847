"""What must be reported of each weight, computed by hand."""

from dataclasses import replace

import pytest

from autostrada.calibration.fault_cases import Arrangement
from autostrada.calibration.judgement import (
    Comparison,
    Weighing,
    drift_ns,
    faulty,
    judge,
    tolerance_ns,
)
from autostrada.stats.buckets import Buckets, into_buckets

MS = 1_000_000


def buckets(*durations_ns):
    return Buckets(tuple(into_buckets(durations_ns)))


def unmet(comparisons):
    """Return the names of the figures that are not as expected."""
    return [each.figure for each in comparisons if not each.is_met]


def stalled(length_ms, *, stalls=2):
    """What an open loop of 1,000 messages a second records of stalls."""
    waited = [each * MS for each in range(1, length_ms + 1)] * stalls
    return buckets(*waited, *[50_000] * 1000)


@pytest.mark.parametrize(("seen", "is_met"), [(9, False), (10, True), (12, True)])
def test_a_figure_may_differ_by_its_tolerance(seen, is_met):
    assert Comparison(figure="x", seen=seen, expected=11, tolerance=1).is_met is is_met


def test_short_durations_may_differ_by_50_us_and_long_ones_by_2_percent():
    assert tolerance_ns(1 * MS) == 50_000
    assert tolerance_ns(200 * MS) == 4 * MS


def test_one_in_seven_is_counted_on_each_connection(weight):
    assert faulty(weight("lose-echo")) == 4 * (500 // 7)
    assert faulty(weight("lose-feed")) == 3 * (20_003 // 7)


def test_a_healthy_server_shows_nothing(weight, weighing):
    echo = weight("healthy-echo")
    times = buckets(*[50_000] * 4000)
    seen = {"echoed": 4000, "response_time_ns": times}
    assert unmet(judge(echo, weighing(**seen))) == []
    for fault in ("missing", "duplicates", "reordered", "unexpected", "wrong"):
        assert unmet(judge(echo, weighing(**seen | {fault: 1}))) == [fault]
    assert unmet(judge(echo, weighing(**seen, failures={"read": 1}))) == ["failures"]
    limited = weighing(**seen, generator_limited="late")
    assert unmet(judge(echo, limited)) == ["generator_limited"]
    slow = weighing(echoed=4000, response_time_ns=buckets(11 * MS))
    assert unmet(judge(echo, slow)) == ["messages_from_10ms"]


def test_a_healthy_feed_neither_clumps_nor_is_late(weight, weighing):
    feed = weight("healthy-feed")
    assert unmet(judge(feed, weighing(burst_max=1, on_time=99))) == []
    assert unmet(judge(feed, weighing(burst_max=2, on_time=98))) == [
        "burst_max",
        "on_time",
    ]


def test_one_message_of_a_short_feed_may_be_late(weight, weighing):
    feed = weight("healthy-feed")
    short = replace(feed, feed=replace(feed.feed, messages=40))
    assert unmet(judge(short, weighing(burst_max=1, on_time=39))) == []
    assert unmet(judge(short, weighing(burst_max=1, on_time=38))) == ["on_time"]


@pytest.mark.parametrize(
    ("median_ns", "is_met"),
    [(20 * MS, True), (20 * MS + 350_000, True), (21 * MS, False), (60_000, False)],
)
def test_a_delay_is_what_the_median_has_beyond_the_control(
    weight, evidence, median_ns, is_met
):
    weighing = Weighing(
        evidence=evidence(echoed=3500, response_time_ns=buckets(median_ns + 50_000)),
        controls=[
            evidence(response_time_ns=buckets(each)) for each in (40_000, 60_000)
        ],
    )
    assert (unmet(judge(weight("delay-20ms"), weighing)) == []) is is_met
    assert drift_ns(weighing) == pytest.approx(20_000, rel=1e-3)


def test_the_twins_server_is_judged_by_what_it_did(weight, evidence):
    weighing = Weighing(
        evidence=evidence(
            echoed=500, response_time_ns=buckets(26 * MS), held_ns=[25 * MS]
        ),
        controls=[evidence(response_time_ns=buckets(MS + 100_000), held_ns=[100_000])],
    )
    delay = weight("delay-20ms", Arrangement.TWIN_SERVER)
    [first, *rest] = judge(delay, weighing)
    assert first.expected == 25 * MS - 100_000
    assert unmet([first, *rest]) == []


def test_a_stall_is_charged_to_every_message_that_was_due_in_it(weight, weighing):
    stall = weight("stall-100ms")
    assert unmet(judge(stall, weighing(response_time_ns=stalled(100)))) == []
    assert unmet(judge(stall, weighing(response_time_ns=stalled(50)))) == [
        "messages_from_10ms",
        "messages_from_50ms",
        "messages_from_90ms",
        "response_time_ns_max",
    ]


def test_a_stall_that_is_charged_to_one_message_only_is_found_out(weight, weighing):
    hidden = buckets(100 * MS, 100 * MS, *[50_000] * 2498)
    assert unmet(judge(weight("stall-100ms"), weighing(response_time_ns=hidden)))


def test_a_closed_loop_records_one_message_a_stall(weight, weighing):
    closed = weight("stall-closed")
    seen = weighing(response_time_ns=buckets(100 * MS, 100 * MS, *[20_000] * 90))
    assert unmet(judge(closed, seen)) == []
    seen = weighing(response_time_ns=buckets(100 * MS, *[20_000] * 90))
    assert unmet(judge(closed, seen)) == ["messages_from_50ms"]


def test_a_pause_of_the_client_is_in_the_response_time_alone(weight, weighing):
    pause = weight("pause-100ms")
    told = {"paused_ns": 100 * MS, "generator_limited": "late"}
    times = stalled(100, stalls=1)
    seen = weighing(response_time_ns=times, service_time_ns=buckets(9000), **told)
    assert unmet(judge(pause, seen)) == []
    from_sent = weighing(
        response_time_ns=buckets(9000), service_time_ns=buckets(9000), **told
    )
    assert "messages_from_50ms" in unmet(judge(pause, from_sent))


LOST = {"missing": 284, "gaps": 284, "echoed": 1716}
COUNTED = {
    "lose-echo": LOST,
    "repeat-echo": {"duplicates": 284, "echoed": 2000},
    "swap-echo": {"reordered": 284, "gaps": 284, "echoed": 2000},
    "corrupt-echo": {"wrong": 284, "echoed": 1716},
    "lose-feed": {"missing": 8571, "gaps": 8571},
    "repeat-feed": {"duplicates": 8571},
    "swap-feed": {"reordered": 8571, "gaps": 8571},
    "corrupt-feed": {"missing": 8571, "gaps": 8571, "duplicates": 8571},
}


@pytest.mark.parametrize("name", COUNTED)
def test_counts_are_exact(weight, weighing, name):
    sent = {"sent": 2000} if name.endswith("echo") else {}
    seen = COUNTED[name] | sent
    assert unmet(judge(weight(name), weighing(**seen))) == []
    for figure in COUNTED[name]:
        less = seen | {figure: seen[figure] - 1}
        assert unmet(judge(weight(name), weighing(**less))) == [figure]


def test_a_fault_that_nobody_has_made_is_one_too_many(weight, weighing):
    seen = weighing(sent=2000, **LOST, duplicates=1)
    assert unmet(judge(weight("lose-echo"), seen)) == ["duplicates"]


def test_of_a_clump_only_the_last_message_is_on_time(weight, weighing):
    clump = weight("clump-5")
    assert unmet(judge(clump, weighing(burst_max=5, judged=100, on_time=20))) == []
    assert unmet(judge(clump, weighing(burst_max=4, judged=100, on_time=25))) == [
        "burst_max",
        "on_time_share",
    ]


def test_a_capped_server_answers_at_its_cap(weight, weighing):
    seen = {"offered_rate_per_s": 2000.0, "failures": {"timeout": 2000}}
    rate = weight("rate-1000")
    assert unmet(judge(rate, weighing(**seen, achieved_rate_per_s=985.0))) == []
    assert unmet(judge(rate, weighing(**seen, achieved_rate_per_s=1030.0))) == [
        "achieved_rate_per_s"
    ]


def test_memory_grows_by_so_much_more_than_without_the_fault(weight, evidence):
    controls = [evidence(growth_bytes=each) for each in (0, 200_000)]
    grown = 2000 * 32_768
    grow = weight("grow-32KiB")
    seen = Weighing(evidence=evidence(growth_bytes=grown + 100_000), controls=controls)
    assert unmet(judge(grow, seen)) == []
    seen = replace(seen, evidence=evidence(growth_bytes=grown // 2))
    assert unmet(judge(grow, seen)) == ["resident_bytes"]


@pytest.mark.parametrize(
    ("name", "kind"), [("close-after-5", "close"), ("abort-after-5", "read")]
)
def test_each_end_of_a_connection_is_a_failure_with_its_kind(
    weight, weighing, name, kind
):
    seen = weighing(failures={kind: 10}, messages=50)
    assert unmet(judge(weight(name), seen)) == []
    seen = weighing(failures={"protocol": 10}, messages=49)
    assert unmet(judge(weight(name), seen)) == ["ended", "messages"]
