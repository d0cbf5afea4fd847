"""How courses are drawn: scales, labels and strokes."""

import pytest

from autostrada.report.course.course import Course, Panel, Trace
from autostrada.report.course.drawing import (
    HEIGHT,
    WIDTH,
    draw,
    scale_end,
    time_ticks,
)
from autostrada.report.number import THIN_SPACE


def trace(*line, process="client", repetition=0, is_middle=True):
    return Trace(process=process, repetition=repetition, is_middle=is_middle, line=line)


def drawn(*traces, duration_s=10.0, absence=""):
    panel = Panel(title="CPU, cores", traces=traces, absence=absence)
    course = Course(
        contestant="ada-fast",
        workload="batched",
        duration_s=duration_s,
        panels=(panel,),
        missing=(),
    )
    [panel] = draw(course).panels
    return panel


@pytest.mark.parametrize(
    ("highest", "end"),
    [
        (0, 1),
        (0.97, 1),
        (1.04, 1),
        (1.06, 2),
        (2.5, 3),
        (45, 50),
        (87, 100),
        (9.9e6, 1e7),
    ],
)
def test_a_scale_ends_at_a_round_number_with_room(highest, end):
    assert scale_end(highest) == end


@pytest.mark.parametrize(
    ("duration_s", "labels"),
    [
        (0.0199, ["0 ms", "5 ms", "10 ms", "15 ms"]),
        (0.2, ["0 ms", "50 ms", "100 ms", "150 ms", "200 ms"]),
        (1, ["0 s", "0.5 s", "1 s"]),
        (4.1, ["0 s", "1 s", "2 s", "3 s", "4 s"]),
        (59.9, ["0 s", "20 s", "40 s"]),
    ],
)
def test_time_has_few_round_labels(duration_s, labels):
    ticks = time_ticks(duration_s)
    assert [tick.label.replace(THIN_SPACE, " ") for tick in ticks] == labels
    assert ticks[0].share == 0
    assert all(0 <= tick.share <= 1 for tick in ticks)


def test_a_stroke_begins_below_on_the_left():
    panel = drawn(trace((0, 0), (5, 0.5), (10, 1)))
    assert panel.strokes[0].points == (
        f"0,{HEIGHT} {WIDTH // 2},{HEIGHT // 2} {WIDTH},0"
    )
    assert [tick.label for tick in panel.ticks] == ["0", "0.5", "1"]
    assert panel.end == 1


def test_a_single_look_is_a_dot():
    [stroke] = drawn(trace((5, 1))).strokes
    assert stroke.is_dot
    assert stroke.points == f"{WIDTH // 2},0 {WIDTH // 2},0"


def test_nothing_at_all_is_drawn_on_the_ground():
    assert (
        drawn(trace((0, 0), (10, 0))).strokes[0].points
        == f"0,{HEIGHT} {WIDTH},{HEIGHT}"
    )


def test_the_median_lies_above_the_others_and_is_named():
    panel = drawn(
        trace((0, 1), (10, 1), repetition=3),
        trace((0, 2), (10, 2), repetition=1, is_middle=False),
    )
    assert [stroke.title for stroke in panel.strokes] == [
        "client, repetition 2",
        "client, repetition 4, the median",
    ]


def test_words_say_what_the_median_came_to():
    panel = drawn(
        trace((0, 0.25), (10, 0.97)),
        trace((0, 0.01), process="server"),
        trace((0, 3), process="server", is_middle=False),
    )
    assert panel.description == (
        "CPU, cores; in the median repetition: client at most 0.97; server at most 0.01"
    )


@pytest.mark.parametrize(
    ("highest", "label"),
    [(2.4e6, "3 M"), (45_000, "50 k"), (8_000, "8 000"), (600, "600"), (0.05, "0.05")],
)
def test_labels_are_short(highest, label):
    end = drawn(trace((0, highest))).ticks[-1]
    assert end.label.replace(THIN_SPACE, " ") == label


def test_a_panel_without_traces_says_why():
    panel = drawn(absence="Not observed.")
    assert panel.strokes == ()
    assert panel.absence == "Not observed."
