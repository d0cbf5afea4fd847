"""The end of a warm-up, in series of the shapes that compilers and collectors make."""

import random
from itertools import pairwise

import pytest

from autostrada.stats.steady_rate import (
    Milestone,
    NotSteady,
    SteadyWindow,
    Unobserved,
    done_at,
    slice_rates,
    steady_window,
    trend_z,
    warm_up_slices,
)

MS = 1e6
STEP_MS = 5
"""Time step of made-up rates."""

SECOND = 1e9


def progress(rate_at, seconds=5.0, every_ms=20.0):
    """Return the points of a rate per second, given as a function of seconds."""
    points, done = [Milestone(0.0, 0.0)], 0.0
    steps = round(seconds * 1e3 / STEP_MS)
    for step in range(1, steps + 1):
        done += rate_at((step - 0.5) * STEP_MS / 1e3) * STEP_MS / 1e3
        if step * STEP_MS % every_ms == 0 or step == steps:
            points.append(Milestone(step * STEP_MS * MS, done))
    return points


def noisy(rate_at, *, share, seed):
    """Return a rate that differs at random, the same for each 20 ms."""
    draw = random.Random(seed)
    factors = [1 + draw.gauss(0, share) for _ in range(400)]
    return lambda at_s: rate_at(at_s) * factors[int(at_s * 50)]


def constant(per_s):
    return lambda _: per_s


def compiled(at_s):
    """Return the rate of a program that is compiled in two steps, within 1.2 s."""
    return 300_000 if at_s < 0.5 else 600_000 if at_s < 1.2 else 1_000_000


def collected(rate_at, every_s=0.7, pause_s=0.1):
    """Return a rate that a collector interrupts periodically."""
    return lambda at_s: 0 if at_s % every_s > every_s - pause_s else rate_at(at_s)


def paused(at_s):
    return 0 if 1 < at_s < 2.5 else 1_000_000


def test_a_constant_rate_is_steady_from_the_beginning():
    window = steady_window(progress(constant(1_000_000)))
    assert isinstance(window, SteadyWindow)
    assert (window.start_ns, window.end_ns) == (0, 5 * SECOND)
    assert window.per_s == pytest.approx(1_000_000)


@pytest.mark.parametrize("seed", range(8))
def test_a_warm_up_in_steps_is_left_out(seed):
    window = steady_window(progress(noisy(compiled, share=0.03, seed=seed)))
    assert isinstance(window, SteadyWindow)
    assert 1.1 * SECOND <= window.start_ns <= 2.5 * SECOND
    assert window.per_s == pytest.approx(1_000_000, rel=0.02)


@pytest.mark.parametrize("seed", range(8))
def test_a_collector_does_not_make_a_rate_unsteady(seed):
    rate_at = noisy(collected(constant(1_000_000)), share=0.03, seed=seed)
    window = steady_window(progress(rate_at))
    assert isinstance(window, SteadyWindow)
    assert window.per_s == pytest.approx(1_000_000 * 6 / 7, rel=0.04)


@pytest.mark.parametrize("seed", range(8))
def test_compiler_and_collector_together_leave_the_rate_with_the_collector(seed):
    rate_at = noisy(
        collected(compiled, every_s=0.4, pause_s=0.05), share=0.03, seed=seed
    )
    window = steady_window(progress(rate_at))
    assert isinstance(window, SteadyWindow)
    assert window.per_s == pytest.approx(1_000_000 * 7 / 8, rel=0.04)


def test_one_pause_late_in_the_trial_counts_and_is_no_trend():
    window = steady_window(progress(lambda at_s: 0 if 3.5 < at_s < 3.8 else 1_000_000))
    assert isinstance(window, SteadyWindow)
    assert window.per_s == pytest.approx(1_000_000 * 4.7 / 5, rel=0.03)


@pytest.mark.parametrize(
    "rate_at",
    [
        lambda at_s: 400_000 + 120_000 * at_s,
        lambda at_s: 1_000_000 * (1 - 2 ** -(at_s / 3)),
        lambda at_s: 500_000 if at_s < 3.5 else 1_000_000,
    ],
    ids=["linear", "approaching", "a late step"],
)
@pytest.mark.parametrize("seed", range(5))
def test_a_rate_that_still_rises_is_not_steady(rate_at, seed):
    found = steady_window(progress(noisy(rate_at, share=0.02, seed=seed)))
    assert isinstance(found, NotSteady)
    assert "still rises" in found.reason


def test_a_rate_that_falls_is_not_steady():
    found = steady_window(progress(lambda at_s: 1_000_000 - 100_000 * at_s))
    assert isinstance(found, NotSteady)
    assert "still falls, by " in found.reason


def test_a_significant_trend_of_a_few_percent_is_accepted():
    window = steady_window(progress(lambda at_s: 1_000_000 + 5_000 * at_s))
    assert isinstance(window, SteadyWindow)


def test_few_points_are_not_enough():
    found = steady_window(progress(constant(1000), seconds=0.38))
    assert isinstance(found, Unobserved)
    assert found.reason == (
        "its progress is known at 19 instants; at least 20 are needed"
    )


def test_points_that_leave_a_large_part_unknown_are_not_enough():
    points = progress(constant(1_000_000))
    found = steady_window([*points[:100], *points[151:]])
    assert isinstance(found, Unobserved)
    assert found.reason == (
        "its progress is unknown for 21% of it at once; at most 10% may be"
    )


def test_slices_are_as_long_as_the_longest_unknown_part():
    points = progress(constant(1_000_000))
    window = steady_window([*points[:100], *points[115:]])
    assert isinstance(window, SteadyWindow)
    assert window.per_s == pytest.approx(1_000_000)


def test_a_pause_in_which_nothing_is_done_is_no_unknown_part():
    points = [each for each in progress(paused) if not 1e9 < each.at_ns < 2.5e9]
    window = steady_window(points)
    assert isinstance(window, SteadyWindow)


@pytest.mark.parametrize("share", [0.01, 0.05, 0.2])
def test_noise_is_seldom_taken_for_a_trend(share):
    found = [
        steady_window(progress(noisy(constant(1e6), share=share, seed=seed)))
        for seed in range(25)
    ]
    windows = [each for each in found if isinstance(each, SteadyWindow)]
    assert len(windows) >= 24
    assert all(each.per_s == pytest.approx(1e6, rel=0.05) for each in windows)


def test_reads_in_large_steps_are_steady():
    # A library that reads 256 KiB at a time, and takes 0.3 s for their messages.
    points = [
        Milestone(number * 20 * MS, 256 * 1024 * (number * 20 // 300))
        for number in range(751)
    ]
    window = steady_window(points)
    assert isinstance(window, SteadyWindow)
    assert window.per_s == pytest.approx(256 * 1024 / 0.3, rel=0.05)


def test_progress_is_interpolated():
    points = [
        Milestone(0, 0),
        Milestone(10, 100),
        Milestone(20, 100),
        Milestone(40, 300),
    ]
    assert [done_at(points, at_ns) for at_ns in (-1, 0, 5, 15, 30, 40, 50)] == [
        0, 0, 50, 100, 200, 300, 300,
    ]  # fmt: skip


def test_rates_of_slices_add_up_to_what_was_done():
    points = progress(compiled)
    rates = slice_rates(points, 40)
    assert sum(rates) * 5 / 40 == pytest.approx(points[-1].done)
    assert all(after >= before * 0.999 for before, after in pairwise(rates))


def test_the_warm_up_is_the_truncation_with_the_smallest_marginal_standard_error():

    assert warm_up_slices([0, 1, 1, 1, 1]) == 1
    assert warm_up_slices([1.0] * 6) == 0
    assert warm_up_slices([5, 3, 1, 1, 1, 1, 1, 1]) == 2


def test_the_trend_of_a_known_series():
    # Ten rising values: S = 45, its variance 10 · 9 · 25 / 18 = 125.
    assert trend_z(range(10)) == pytest.approx(44 / 125**0.5)
    assert trend_z(range(10, 0, -1)) == pytest.approx(-44 / 125**0.5)
    assert trend_z([1.0] * 10) == 0
    # Two ties of two values each reduce the variance by 2 · 18 / 18; S = 4.
    assert trend_z([1, 1, 2, 2]) == pytest.approx(3 / (26 * 2 / 6 - 2) ** 0.5)
