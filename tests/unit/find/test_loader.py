"""What a result of a load says about a point."""

import pytest

from autostrada.engine.messages import (
    Exchange,
    LoadReport,
    ReportedCondition,
    ReportedMetric,
)
from autostrada.find.loader import point_of


def point(vary="rate", rate=2_000, p99_s=0.06, is_broken=True, cpu=0.1, late=1, **more):
    condition = more.pop("condition", "p99 >= 50ms")
    metrics = {"rate": rate, "achieved": 1.0, "p99": p99_s}
    metrics |= {"generator-cpu": cpu, "generator-limited": late}
    exchange = {"sent": 2_000, "unsent": 0, "overdue": 0, "send_delay_ns": ()} | more
    failure = f"{condition}: p99 was 60 ms" if is_broken else None
    report = LoadReport.model_construct(
        metrics=[
            ReportedMetric.model_construct(name=name, value=value, unit="s")
            for name, value in metrics.items()
        ],
        conditions=[ReportedCondition(condition=condition, failure=failure)],
        exchange=Exchange.model_construct(**exchange),
    )
    return point_of(report, vary, 2_000)


LATE = {"send_delay_ns": ((20_000_000, 100),)}


def test_a_point_has_the_metrics_and_failures_of_its_load():
    assert point().broken == ("p99 >= 50ms: p99 was 60 ms",)
    assert point().metrics["p99"] == 0.06
    assert point(is_broken=False).is_met


def test_a_rate_that_is_not_answered_is_not_met():
    assert not point(rate=1_900, is_broken=False).is_met
    assert point("connections", rate=1_900, is_broken=False).is_met


@pytest.mark.parametrize(
    ("load", "is_doubtful"),
    [
        (LATE, True),
        (LATE | {"late": 0}, False),
        (LATE | {"is_broken": False}, False),
        (LATE | {"cpu": 0.9}, False),
        (LATE | {"p99_s": 1.0}, False),
        (LATE | {"rate": 1_000}, False),
        ({"overdue": 30}, True),
        (LATE | {"unsent": 30}, True),
        (LATE | {"unsent": 30, "condition": "errors >= 1%"}, False),
        ({"overdue": 30, "vary": "connections", "is_broken": False}, True),
    ],
)
def test_a_delay_that_can_explain_the_outcome_makes_it_doubtful(load, is_doubtful):
    assert point(**load).is_doubtful == is_doubtful
