"""The comparison on a terminal: complete, in 80 columns, without colours."""

import io

import pytest
from rich.console import Console

from autostrada.report.compare.gate import check_condition, parse_known
from autostrada.report.compare.terminal import print_comparison


def printed(comparison, *conditions, width=80):
    console = Console(file=io.StringIO(), width=width)
    checks = [check_condition(parse_known(each), comparison) for each in conditions]
    print_comparison(comparison, checks, console)
    return console.file.getvalue()


@pytest.fixture(scope="module")
def text(changed):
    return printed(changed, "ms_per_million > +5%")


def test_it_fits_into_80_columns_without_colours(text):
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    assert "\N{NARROW NO-BREAK SPACE}" not in text


def test_each_metric_of_a_cell_is_a_line(text):
    lines = [line.split() for line in text.splitlines()]
    assert ["ada-fast", "·", "5", "repetitions", "each"] in lines
    expected = [
        "cold,",
        "1M",
        "200",
        "ms",
        "240",
        "ms",
        "1.200×",
        "1.165–1.236",
        "0.008",
        "slower",
    ]
    assert expected in lines
    metrics = [line[:2] for line in lines]
    for end in (
        ["client", "CPU"],
        ["server", "CPU"],
        ["cl.", "mem."],
        ["srv.", "mem."],
    ):
        assert end in metrics
    heading = lines.index(["bash-slow", "·", "5", "repetitions", "each"])
    assert "0.900×" in lines[metrics.index(["client", "CPU"], heading)]


def test_both_sides_the_warnings_and_cells_of_one_side_are_named(begun, few, version):
    newer = {"ada-fast": version("ada-fast", version="2.0")}
    begun.add({("batched", "ada-fast"): 200}, versions=newer)
    text = printed(begun.compare(), width=200)
    assert "A  run 1 of small in " in text
    assert "B  run 2 of small in " in text
    assert "!  ada-fast: 1.2.3 in A, 2.0 in B" in text
    assert "bash-slow in alone: only in A; B: not measured" in text


def test_conclusion_and_conditions_come_last(text):
    joined = " ".join(text.split())
    assert joined.index("Compared with A, B is faster in 1 of 3 cells") < joined.index(
        "failed: ms_per_million > +5%: ada-fast in batched: +20.0%"
    )
    assert joined.index("passed: ms_per_million > +5%: in 2 cells") < joined.index(
        "B/A is the ratio, with its bootstrap"
    )


def test_unequal_repetitions_and_unknown_metrics_are_marked(begun, measurement):
    silent = [measurement(200, processes=())] * 3
    begun.add({("batched", "ada-fast"): silent})
    text = printed(begun.compare())
    assert "ada-fast · 5 and 3 repetitions" in text
    assert [line.split() for line in text.splitlines() if "cl. mem." in line] == [
        ["cl.", "mem.", "10", "MiB", "-", "not", "known"]
    ]


def test_the_same_comparison_is_the_same_text(changed, text):
    assert printed(changed, "ms_per_million > +5%") == text
