"""Lines over time, against numbers computed by hand."""

import pytest

from autostrada.report.course.line import POINTS_MAX, level_line, rate_line


def test_a_rate_is_level_between_two_looks_at_a_counter():
    assert rate_line([0, 2, 3], [10, 30, 30]) == ((0, 10), (2, 10), (2, 0), (3, 0))


def test_one_look_makes_no_rate():
    assert rate_line([1], [10]) == ()
    assert rate_line([], []) == ()


def test_of_many_looks_no_gain_is_lost():
    at_s = [look / 10 for look in range(1001)]
    line = rate_line(at_s, [look**2 for look in range(1001)])
    assert len(line) <= POINTS_MAX
    assert (line[0][0], line[-1][0]) == (0, 100)
    gained = sum(
        rate * (end - begin)
        for (begin, rate), (end, _) in zip(line[::2], line[1::2], strict=True)
    )
    assert gained == pytest.approx(1000**2)


def test_levels_are_drawn_as_they_were_seen():
    assert level_line([0.5, 1.5], [7, 3]) == ((0.5, 7), (1.5, 3))
    assert level_line([], []) == ()


def test_of_many_levels_the_highest_stays():
    levels = [5] * 1000
    levels[777] = 9
    line = level_line(range(1000), levels)
    assert len(line) <= POINTS_MAX
    assert [point for point in line if point[1] != 5] == [(777, 9)]
