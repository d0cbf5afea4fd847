"""Expected reports of each case, computed by hand."""

from dataclasses import replace

import pytest

from autostrada.calibration.comparison import ExpectedMetric
from autostrada.calibration.expectation import (
    CLIENT_COLD,
    CLIENT_SLICES,
    compare,
    drift_ns,
    faulty_messages,
    tolerance_ns,
)
from autostrada.calibration.fault_cases import FaultTopology
from autostrada.stats.buckets import Buckets, into_buckets
from autostrada.store.record import SliceRow

MS = 1_000_000


def buckets(*durations_ns):
    return Buckets(tuple(into_buckets(durations_ns)))


def answered(*durations_ns):
    return {"response_time_ns": buckets(*durations_ns)}


def unmet(comparisons):
    """Return the names of the metrics that differ from the expectation."""
    return [each.metric for each in comparisons if not each.is_met]


def stalled(length_ms, *, stalls=2):
    """Return the durations that an open loop of 1,000 messages/s records of stalls."""
    waited = [each * MS for each in range(1, length_ms + 1)] * stalls
    return answered(*waited, *[50_000] * 1000)


def sliced(cpu_ms, messages, *, length_ms=None):
    """Return a slice in which a server was busy half of the time, unless given."""
    return SliceRow(
        since_start_ns=0,
        duration_ns=(length_ms or 2 * cpu_ms) * MS,
        messages=messages,
        server_cpu_ns=cpu_ms * MS,
        client_cpu_ns=0,
    )


@pytest.mark.parametrize(("measured", "is_met"), [(9, False), (10, True), (12, True)])
def test_a_metric_may_differ_by_its_tolerance(measured, is_met):
    metric = ExpectedMetric(metric="x", seen=measured, expected=11, tolerance=1)
    assert metric.is_met is is_met


def test_short_durations_may_differ_by_50_us_and_long_ones_by_2_percent():
    assert tolerance_ns(1 * MS) == 50_000
    assert tolerance_ns(200 * MS) == 4 * MS


def test_one_in_seven_is_counted_per_connection(case):
    assert faulty_messages(case("lose-echo")) == 4 * (500 // 7)
    assert faulty_messages(case("lose-feed")) == 3 * (20_003 // 7)


HEALTHY = {"echoed": 4000} | answered(*[50_000] * 4000)
STALL_METRICS = [
    *(f"messages_from_{least}ms" for least in (10, 50, 90)),
    "response_time_ns_max",
]
PAUSED = {
    "paused_ns": 100 * MS,
    "generator_limited": "late",
    "service_time_ns": buckets(9000),
}
CAPPED = {
    "offered_rate_per_s": 3000.0,
    "failures": {"timeout": 2915},
    "backlog_at_window_end": 3532,
}
LOST = {"missing": 284, "gaps": 284, "echoed": 1716}
GROWN = 2000 * 32_768
GROWTH = {"controls": [{"growth_bytes": each} for each in (0, 20_000_000)]}
WORK = {"controls": [{"cpu_ns": each} for each in (2_000_000, 4_000_000)]}
SLICES = {
    "idle": {"controls": [{"slices": [sliced(20, 1_000)]}] * 2},
    "right": {"slices": [sliced(201, 50), sliced(603, 150)]},
    "less": {"slices": [sliced(180, 50), sliced(540, 150)]},
    "never-idle": {"slices": [sliced(603, 150, length_ms=620)]},
}
ENDED_OTHERWISE = {"failures": {"protocol": 10}, "messages": 49}


@pytest.mark.parametrize(
    ("name", "measured", "differing"),
    [
        ("healthy-echo", HEALTHY, []),
        *(
            ("healthy-echo", HEALTHY | {fault: 1}, [fault])
            for fault in ("missing", "duplicates", "reordered", "unexpected", "wrong")
        ),
        ("healthy-echo", HEALTHY | {"failures": {"read": 1}}, ["failures"]),
        (
            "healthy-echo",
            HEALTHY | {"generator_limited": "late"},
            ["generator_limited"],
        ),
        ("healthy-echo", HEALTHY | answered(11 * MS), ["messages_from_10ms"]),
        ("healthy-feed", {"burst_max": 1, "on_time": 99}, []),
        ("healthy-feed", {"burst_max": 2, "on_time": 98}, ["burst_max", "on_time"]),
        # A stall is charged to every message that is due during it.
        ("stall-100ms", stalled(100), []),
        ("stall-100ms", stalled(50), STALL_METRICS),
        (
            "stall-100ms",
            answered(100 * MS, 100 * MS, *[50_000] * 2498),
            STALL_METRICS[:-1],
        ),
        # A closed loop records one message for each stall.
        ("stall-closed", answered(100 * MS, 100 * MS, *[20_000] * 90), []),
        ("stall-closed", answered(100 * MS, *[20_000] * 90), ["messages_from_50ms"]),
        # A pause of the client affects only the response time.
        ("pause-100ms", PAUSED | stalled(100, stalls=1), []),
        ("pause-100ms", PAUSED | answered(9000), STALL_METRICS[:-1]),
        # A fault that was not injected is a failure.
        ("lose-echo", {"sent": 2000, **LOST, "duplicates": 1}, ["duplicates"]),
        # Only the last message of a burst is on time.
        ("burst-5", {"burst_max": 5, "judged": 100, "on_time": 20}, []),
        (
            "burst-5",
            {"burst_max": 4, "judged": 100, "on_time": 25},
            ["burst_max", "on_time_share"],
        ),
        ("rate-1234", CAPPED | {"achieved_rate_per_s": 1212.0}, []),
        (
            "rate-1234",
            CAPPED | {"achieved_rate_per_s": 1542.0},
            ["achieved_rate_per_s"],
        ),
        ("grow-32KiB", GROWTH | {"growth_bytes": GROWN + 10_000_000}, []),
        ("grow-32KiB", GROWTH | {"growth_bytes": GROWN // 2}, ["resident_bytes"]),
        ("work-10ms", WORK | {"cpu_ns": 504_000_000}, []),
        ("work-10ms", WORK | {"cpu_ns": 514_000_000}, ["server_cpu_ns"]),
        ("work-in-slices", SLICES["idle"] | SLICES["right"], []),
        (
            "work-in-slices",
            SLICES["idle"] | SLICES["less"],
            ["server_cpu_ns_per_message"],
        ),
        (
            "work-in-slices",
            SLICES["idle"] | SLICES["never-idle"],
            ["server_utilization"],
        ),
        ("close-after-5", {"failures": {"close": 10}, "messages": 50}, []),
        ("close-after-5", ENDED_OTHERWISE, ["ended", "messages"]),
        ("abort-after-5", {"failures": {"read": 10}, "messages": 50}, []),
        ("abort-after-5", ENDED_OTHERWISE, ["ended", "messages"]),
    ],
)
def test_what_differs_from_the_expected_report_is_named(
    case, case_run, name, measured, differing
):
    assert unmet(compare(case(name), case_run(**measured))) == differing


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
    case, case_run, median_ns, is_met
):
    controls = [answered(each) for each in (40_000, 60_000)]
    measured = case_run(controls, echoed=3500, **answered(median_ns + 50_000))
    assert (unmet(compare(case("delay-20ms"), measured)) == []) is is_met
    assert drift_ns(measured) == pytest.approx(20_000, rel=1e-3)


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
    case, case_run, median_ns, control_ns, is_beyond
):
    controls = [answered(control_ns)] * 2
    measured = case_run(controls, echoed=3500, **answered(median_ns))
    found = compare(case("delay-20ms"), measured)
    assert any(each.is_beyond_noise for each in found) is is_beyond


def test_the_peer_server_is_checked_against_its_own_report(case, case_run):
    control = answered(MS + 100_000) | {"held_ns": [100_000]}
    measured = case_run([control], echoed=500, held_ns=[25 * MS], **answered(26 * MS))
    delay = case("delay-20ms", FaultTopology.PEER_SERVER)
    [first, *rest] = compare(delay, measured)
    assert first.expected == 25 * MS - 100_000
    assert unmet([first, *rest]) == []


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


@pytest.mark.parametrize(("cpu_ms", "may_be_noise"), [(520, True), (480, False)])
def test_other_load_makes_the_same_work_cost_more(case, case_run, cpu_ms, may_be_noise):
    controls = [{"cpu_ns": 2_000_000}] * 2
    measured = case_run(controls, cpu_ns=cpu_ms * 1_000_000)
    first, *_ = compare(case("work-10ms"), measured)
    assert (first.is_met, first.may_be_noise) == (False, may_be_noise)


@pytest.fixture
def pushed(case, case_run):
    """Return a function that compares a push with these metrics."""

    def compared(name, **metrics):
        own = {CLIENT_COLD: 300, CLIENT_SLICES: 1_000}
        push = case(name, FaultTopology.PEER_CLIENT)
        return compare(push, case_run(push=metrics | own))

    return compared


@pytest.mark.parametrize(
    ("cold_ms", "slices_ns", "differing"),
    [
        (291, 1_030, []),
        (290, 1_000, ["ms_per_100k"]),
        (310, 1_000, ["ms_per_100k"]),
        (300, 969, ["slices_ns_per_message"]),
    ],
)
@pytest.mark.parametrize("name", ["push-two-rates", "push-bridge"])
def test_a_push_is_reported_within_3_percent(
    pushed, name, cold_ms, slices_ns, differing
):
    found = pushed(name, ms_per_100k=cold_ms, slices_ns_per_message=slices_ns)
    assert unmet(found) == differing
    assert unmet(pushed(name)) == ["ms_per_100k", "slices_ns_per_message"]


def test_noise_explains_no_push_that_seems_faster_than_its_client(pushed):
    hidden = pushed("push-two-rates", ms_per_100k=3, slices_ns_per_message=1_000)
    assert any(each.is_beyond_noise for each in hidden)


@pytest.mark.parametrize(
    "name", ["push-late-pongs", "push-left-pongs", "push-no-pongs"]
)
def test_a_client_without_prompt_pongs_has_no_metric(pushed, name):
    assert unmet(pushed(name, round_trip_us=8)) == []
    assert unmet(pushed(name, ms_per_100k=300)) == ["metrics_without_pongs"]
