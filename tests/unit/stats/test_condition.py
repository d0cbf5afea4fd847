"""The syntax of conditions."""

import pytest

from autostrada.errors import UsageError
from autostrada.stats.change import Direction
from autostrada.stats.condition import parse_condition


@pytest.mark.parametrize(
    ("text", "metric", "relation", "limit", "is_of_change"),
    [
        ("ms_per_million > +5%", "ms_per_million", Direction.HIGHER, 1.05, True),
        ("messages_per_s<-2.5 %", "messages_per_s", Direction.LOWER, 0.975, True),
        (" latency_ms_p99  >  100 ", "latency_ms_p99", Direction.HIGHER, 100, False),
        ("dropped_messages > 0", "dropped_messages", Direction.HIGHER, 0, False),
        ("server-cpu > +5%", "server-cpu", Direction.HIGHER, 1.05, True),
        ("p99.9 < 5.5", "p99.9", Direction.LOWER, 5.5, False),
    ],
)
def test_a_condition_is_a_metric_a_relation_and_a_limit(
    text, metric, relation, limit, is_of_change
):
    condition = parse_condition(text, "'a > +5%'")
    assert condition.metric == metric
    assert condition.relation is relation
    assert condition.limit == pytest.approx(limit)
    assert condition.is_of_change is is_of_change


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "is not a condition; write one as 'a > [+]5%'"),
        ("rate", "is not a condition; write one as"),
        ("rate = +5%", "is not a condition; write one as"),
        ("rate > +5% or more", "is not a condition; write one as"),
        ("rate > nan", "is not a condition; write one as"),
        ("rate < 5%", "is not a condition; a change needs a sign: [+]5% or -5%"),
        ("messages_per_s < -100%", "none falls by 100%; write a limit that can be"),
        ("dropped_messages < 0", "no metric is below 0"),
    ],
)
def test_an_invalid_condition_is_one_line_with_the_remedy(text, line):
    with pytest.raises(UsageError, match=line) as refused:
        parse_condition(text, "'a > +5%'")
    assert "\n" not in str(refused.value)
