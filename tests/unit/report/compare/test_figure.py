"""Figures: their units, and what they call a change."""

from dataclasses import replace

import pytest

from autostrada.experiment.matrix import Cell
from autostrada.report.compare.figure import (
    CPU,
    DURATION,
    FIGURES,
    MEMORY,
    NOT_DISTINGUISHABLE,
    RATE,
)
from autostrada.report.compare.side import Samples

SAMPLES = Samples(
    cell=Cell(client="ada-fast", workload="batched"),
    messages=(1_000,),
    ns_per_message=(100.0, 200.0, 400.0),
    cpu_ns_per_message=(50.0, 60.0, 70.0),
    peak_resident_bytes=(2**20, 2**21, 2**22),
    disturbed=0,
    server_busy_share=0.1,
)
TWICE = replace(SAMPLES, ns_per_message=(1_000.0, 1_100.0, 1_200.0))


@pytest.mark.parametrize(
    ("figure", "median"), [(DURATION, 200), (RATE, 5e6), (CPU, 0.06), (MEMORY, 2)]
)
def test_a_figure_has_its_unit(figure, median):
    assert figure.median(SAMPLES) == pytest.approx(median)
    assert FIGURES[figure.name] is figure


@pytest.mark.parametrize("gap", [None, 0])
def test_a_figure_of_which_a_repetition_is_missing_is_none(gap):
    samples = replace(SAMPLES, cpu_ns_per_message=(50.0, gap, 70.0))
    assert CPU.samples(samples) is None
    assert CPU.median(samples) is None
    assert CPU.change(samples, SAMPLES) is None
    assert DURATION.samples(samples) == SAMPLES.ns_per_message


@pytest.mark.parametrize(("figure", "word"), [(DURATION, "slower"), (RATE, "slower")])
def test_longer_is_slower_and_so_is_a_lower_rate(figure, word):
    assert figure.verdict(figure.change(SAMPLES, TWICE)) == word


def test_more_and_less_are_words_of_what_is_used():
    more = replace(SAMPLES, peak_resident_bytes=(2**30, 2**30 + 1, 2**30 + 2))
    assert MEMORY.verdict(MEMORY.change(SAMPLES, more)) == "more"
    assert MEMORY.verdict(MEMORY.change(more, SAMPLES)) == "less"
    assert CPU.verdict(CPU.change(SAMPLES, SAMPLES)) == NOT_DISTINGUISHABLE
