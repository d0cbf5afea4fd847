"""The forest plot of published conclusions."""

import pytest

from autostrada.experiment.matrix import Cell
from autostrada.experiment.publication import ClaimRequirement
from autostrada.report import rounds
from autostrada.report.charts.conclusions import FAR, conclusions_chart
from autostrada.report.conclusion import Conclusion, EvaluatedRequirement
from autostrada.stats.claim import Finding


def claim(finding, value, low, high, at_least=None, at_most=None):
    evaluated = EvaluatedRequirement(
        required=ClaimRequirement(
            metric="received_per_s",
            of=Cell(client="a", workload="b"),
            to=None,
            at_least=at_least,
            at_most=at_most,
        ),
        test=rounds.RequirementTest(finding=finding, value=value, low=low, high=high),
    )
    return Conclusion(
        text="A claim that is longer than its row has room for, by several words.",
        finding=finding,
        parts=(evaluated,),
        reason="",
    )


def test_each_metric_is_drawn_relative_to_its_limit():
    chart = conclusions_chart(
        [
            claim(Finding.CONFIRMED, 6, 5, 7, at_least=2),
            claim(Finding.CONTRADICTED, 6, 5, 7, at_most=2),
            claim(Finding.INCONCLUSIVE, 3, 1, 7, at_least=1, at_most=4),
        ]
    )
    first, second, third = chart.table
    assert (first["value"], first["low"], first["high"]) == (3, 2.5, 3.5)
    assert (first["from"], first["to"]) == (1, FAR)
    assert (second["from"], second["to"]) == (pytest.approx(1 / FAR), 1)
    assert (third["from"], third["to"]) == (0.5, 2)
    assert first["contestant"] == "1 · A claim that is longer …"
    assert [key.label for key in chart.legend] == [
        "confirmed",
        "contradicted",
        "inconclusive",
        "what it requires",
    ]


def test_what_is_far_from_its_limit_stays_at_the_edge():
    chart = conclusions_chart([claim(Finding.CONFIRMED, 900, 800, 1e9, at_least=1)] * 2)
    row = chart.table[0]
    assert (row["value"], row["high"]) == (FAR, FAR)


def test_a_single_conclusion_is_not_drawn():
    assert conclusions_chart([claim(Finding.CONFIRMED, 6, 5, 7, at_least=2)]) is None
