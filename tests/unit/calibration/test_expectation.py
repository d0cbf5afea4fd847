"""Expected reports of each case, computed by hand."""

from dataclasses import replace

import pytest

from autostrada.calibration.comparison import ExpectedMetric
from autostrada.calibration.expectation import (
    CaseRun,
    PushReading,
    compare,
    drift_ns,
    faulty_messages,
    tolerance_ns,
)
from autostrada.calibration.fault_cases import FaultTopology
from autostrada.stats.buckets import Buckets, into_buckets

MS = 1_000_000


def buckets(*durations_ns):
    return Buckets(tuple(into_buckets(durations_ns)))


def unmet(comparisons):
    """Return the names of the metrics that differ from the expectation."""
    return [each.metric for each in comparisons if not each.is_met]


def stalled(length_ms, *, stalls=2):
    """Return the durations that an open loop of 1,000 messages/s records of stalls."""
    waited = [each * MS for each in range(1, length_ms + 1)] * stalls
    return buckets(*waited, *[50_000] * 1000)


@pytest.mark.parametrize(("measured", "is_met"), [(9, False), (10, True), (12, True)])
def test_a_metric_may_differ_by_its_tolerance(measured, is_met):
    assert (
        ExpectedMetric(metric="x", seen=measured, expected=11, tolerance=1).is_met
        is is_met
    )


def test_short_durations_may_differ_by_50_us_and_long_ones_by_2_percent():
    assert tolerance_ns(1 * MS) == 50_000
    assert tolerance_ns(200 * MS) == 4 * MS


def test_one_in_seven_is_counted_per_connection(case):
    assert faulty_messages(case("lose-echo")) == 4 * (500 // 7)
    assert faulty_messages(case("lose-feed")) == 3 * (20_003 // 7)


def test_a_healthy_server_shows_no_fault(case, case_run):
    echo = case("healthy-echo")
    times = buckets(*[50_000] * 4000)
    measured = {"echoed": 4000, "response_time_ns": times}
    assert unmet(compare(echo, case_run(**measured))) == []
    for fault in ("missing", "duplicates", "reordered", "unexpected", "wrong"):
        assert unmet(compare(echo, case_run(**measured | {fault: 1}))) == [fault]
    assert unmet(compare(echo, case_run(**measured, failures={"read": 1}))) == [
        "failures"
    ]
    limited = case_run(**measured, generator_limited="late")
    assert unmet(compare(echo, limited)) == ["generator_limited"]
    slow = case_run(echoed=4000, response_time_ns=buckets(11 * MS))
    assert unmet(compare(echo, slow)) == ["messages_from_10ms"]


def test_a_healthy_feed_is_neither_late_nor_in_bursts(case, case_run):
    feed = case("healthy-feed")
    assert unmet(compare(feed, case_run(burst_max=1, on_time=99))) == []
    assert unmet(compare(feed, case_run(burst_max=2, on_time=98))) == [
        "burst_max",
        "on_time",
    ]


def test_one_message_of_a_short_feed_may_be_late(case, case_run):
    feed = case("healthy-feed")
    short = replace(feed, feed=replace(feed.feed, messages=40))
    assert unmet(compare(short, case_run(burst_max=1, on_time=39))) == []
    assert unmet(compare(short, case_run(burst_max=1, on_time=38))) == ["on_time"]


@pytest.mark.parametrize(
    ("median_ns", "is_met"),
    [(20 * MS, True), (20 * MS + 350_000, True), (21 * MS, False), (60_000, False)],
)
def test_a_delay_is_the_difference_from_the_median_of_the_control(
    case, evidence, median_ns, is_met
):
    case_run = CaseRun(
        evidence=evidence(echoed=3500, response_time_ns=buckets(median_ns + 50_000)),
        controls=[
            evidence(response_time_ns=buckets(each)) for each in (40_000, 60_000)
        ],
    )
    assert (unmet(compare(case("delay-20ms"), case_run)) == []) is is_met
    assert drift_ns(case_run) == pytest.approx(20_000, rel=1e-3)


@pytest.mark.parametrize(
    ("median_ns", "control_ns", "is_beyond"),
    [
        (0, 0, True),
        (9 * MS, 0, True),
        (20 * MS, 15 * MS, False),
        (9 * MS, 9 * MS, True),
    ],
)
def test_a_disturbed_control_takes_at_most_what_it_has(
    case, evidence, median_ns, control_ns, is_beyond
):
    case_run = CaseRun(
        evidence=evidence(echoed=3500, response_time_ns=buckets(median_ns)),
        controls=[evidence(response_time_ns=buckets(control_ns))] * 2,
    )
    found = compare(case("delay-20ms"), case_run)
    assert any(each.is_beyond_noise for each in found) is is_beyond


def test_the_peer_server_is_checked_against_its_own_report(case, evidence):
    case_run = CaseRun(
        evidence=evidence(
            echoed=500, response_time_ns=buckets(26 * MS), held_ns=[25 * MS]
        ),
        controls=[evidence(response_time_ns=buckets(MS + 100_000), held_ns=[100_000])],
    )
    delay = case("delay-20ms", FaultTopology.PEER_SERVER)
    [first, *rest] = compare(delay, case_run)
    assert first.expected == 25 * MS - 100_000
    assert unmet([first, *rest]) == []


def test_a_stall_is_charged_to_every_message_due_during_it(case, case_run):
    stall = case("stall-100ms")
    assert unmet(compare(stall, case_run(response_time_ns=stalled(100)))) == []
    assert unmet(compare(stall, case_run(response_time_ns=stalled(50)))) == [
        "messages_from_10ms",
        "messages_from_50ms",
        "messages_from_90ms",
        "response_time_ns_max",
    ]


def test_a_stall_that_is_charged_to_one_message_only_is_detected(case, case_run):
    hidden = buckets(100 * MS, 100 * MS, *[50_000] * 2498)
    assert unmet(compare(case("stall-100ms"), case_run(response_time_ns=hidden)))


def test_a_closed_loop_records_one_message_per_stall(case, case_run):
    closed = case("stall-closed")
    measured = case_run(response_time_ns=buckets(100 * MS, 100 * MS, *[20_000] * 90))
    assert unmet(compare(closed, measured)) == []
    measured = case_run(response_time_ns=buckets(100 * MS, *[20_000] * 90))
    assert unmet(compare(closed, measured)) == ["messages_from_50ms"]


def test_a_pause_of_the_client_affects_only_the_response_time(case, case_run):
    pause = case("pause-100ms")
    metrics = {"paused_ns": 100 * MS, "generator_limited": "late"}
    times = stalled(100, stalls=1)
    measured = case_run(
        response_time_ns=times, service_time_ns=buckets(9000), **metrics
    )
    assert unmet(compare(pause, measured)) == []
    from_sent = case_run(
        response_time_ns=buckets(9000), service_time_ns=buckets(9000), **metrics
    )
    assert "messages_from_50ms" in unmet(compare(pause, from_sent))


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
def test_counts_are_exact(case, case_run, name):
    sent = {"sent": 2000} if name.endswith("echo") else {}
    measured = COUNTED[name] | sent
    assert unmet(compare(case(name), case_run(**measured))) == []
    for metric in COUNTED[name]:
        less = measured | {metric: measured[metric] - 1}
        assert unmet(compare(case(name), case_run(**less))) == [metric]


def test_a_fault_that_was_not_injected_is_a_failure(case, case_run):
    measured = case_run(sent=2000, **LOST, duplicates=1)
    assert unmet(compare(case("lose-echo"), measured)) == ["duplicates"]


def test_only_the_last_message_of_a_burst_is_on_time(case, case_run):
    burst = case("burst-5")
    assert unmet(compare(burst, case_run(burst_max=5, judged=100, on_time=20))) == []
    assert unmet(compare(burst, case_run(burst_max=4, judged=100, on_time=25))) == [
        "burst_max",
        "on_time_share",
    ]


def test_a_capped_server_answers_at_its_cap(case, case_run):
    measured = {
        "offered_rate_per_s": 3000.0,
        "failures": {"timeout": 2915},
        "backlog_at_window_end": 3532,
    }
    rate = case("rate-1234")
    assert unmet(compare(rate, case_run(**measured, achieved_rate_per_s=1212.0))) == []
    assert unmet(compare(rate, case_run(**measured, achieved_rate_per_s=1542.0))) == [
        "achieved_rate_per_s"
    ]


def test_memory_growth_is_measured_relative_to_the_control(case, evidence):
    controls = [evidence(growth_bytes=each) for each in (0, 200_000)]
    grown = 2000 * 32_768
    grow = case("grow-32KiB")
    measured = CaseRun(
        evidence=evidence(growth_bytes=grown + 100_000), controls=controls
    )
    assert unmet(compare(grow, measured)) == []
    measured = replace(measured, evidence=evidence(growth_bytes=grown // 2))
    assert unmet(compare(grow, measured)) == ["resident_bytes"]


def test_cpu_time_is_measured_relative_to_the_control(case, evidence):
    controls = [evidence(cpu_ns=each) for each in (2_000_000, 4_000_000)]
    worked = evidence(cpu_ns=504_000_000)
    measured = CaseRun(evidence=worked, controls=controls)
    assert unmet(compare(case("work-1ms"), measured)) == []
    measured = replace(measured, evidence=evidence(cpu_ns=514_000_000))
    assert unmet(compare(case("work-1ms"), measured)) == ["server_cpu_ns"]


@pytest.mark.parametrize(("cpu_ms", "may_be_noise"), [(520, True), (480, False)])
def test_other_load_makes_the_same_work_cost_more(case, evidence, cpu_ms, may_be_noise):
    controls = [evidence(cpu_ns=2_000_000)] * 2
    worked = evidence(cpu_ns=cpu_ms * 1_000_000)
    measured = CaseRun(evidence=worked, controls=controls)
    first, *_ = compare(case("work-1ms"), measured)
    assert (first.is_met, first.may_be_noise) == (False, may_be_noise)


@pytest.mark.parametrize(
    ("name", "kind"), [("close-after-5", "close"), ("abort-after-5", "read")]
)
def test_each_end_of_a_connection_is_a_failure_of_its_kind(case, case_run, name, kind):
    measured = case_run(failures={kind: 10}, messages=50)
    assert unmet(compare(case(name), measured)) == []
    measured = case_run(failures={"protocol": 10}, messages=49)
    assert unmet(compare(case(name), measured)) == ["ended", "messages"]


def pushed(**metrics):
    return PushReading(metrics=metrics, cold_ms=300, steady_ns_per_message=1_000)


@pytest.mark.parametrize(
    ("metrics", "differing"),
    [
        ({"ms_per_100k": 291, "steady_ns_per_message": 1_030}, []),
        ({"ms_per_100k": 290, "steady_ns_per_message": 1_000}, ["ms_per_100k"]),
        ({"ms_per_100k": 310, "steady_ns_per_message": 1_000}, ["ms_per_100k"]),
        (
            {"ms_per_100k": 300, "steady_ns_per_message": 969},
            ["steady_ns_per_message"],
        ),
        ({}, ["ms_per_100k", "steady_ns_per_message"]),
    ],
)
@pytest.mark.parametrize("name", ["push-two-rates", "push-bridge"])
def test_a_push_is_reported_within_3_percent(case, case_run, name, metrics, differing):
    push = case(name, FaultTopology.PEER_CLIENT)
    assert unmet(compare(push, case_run(push=pushed(**metrics)))) == differing


def test_noise_may_keep_a_rate_from_becoming_steady(case, case_run):
    push = case("push-two-rates", FaultTopology.PEER_CLIENT)
    absent = compare(push, case_run(push=pushed(ms_per_100k=300)))
    assert not any(each.is_beyond_noise for each in absent)
    hidden = compare(push, case_run(push=pushed(ms_per_100k=3)))
    assert any(each.is_beyond_noise for each in hidden)


@pytest.mark.parametrize(
    "name", ["push-late-pongs", "push-left-pongs", "push-no-pongs"]
)
def test_a_client_without_prompt_pongs_has_no_metric(case, case_run, name):
    push = case(name, FaultTopology.PEER_CLIENT)
    assert unmet(compare(push, case_run(push=pushed(round_trip_us=8)))) == []
    found = compare(push, case_run(push=pushed(ms_per_100k=300)))
    assert unmet(found) == ["metrics_without_pongs"]
