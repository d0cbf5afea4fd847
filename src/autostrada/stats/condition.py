"""Conditions for failure: ``p99 > +5%`` of a change, ``dropped_messages > 0``."""

import re
from dataclasses import dataclass

from autostrada.errors import UsageError
from autostrada.stats.change import Direction

_CONDITION = re.compile(
    r"([\w.-]+) *([<>]) *(?:([+-]\d+(?:\.\d+)?) *%|(\d+(?:\.\d+)?))"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Condition:
    """A condition for failure: a metric, or its change, is beyond a limit."""

    text: str
    metric: str
    relation: Direction
    limit: float
    """Limit of the metric in its unit; for a change, limit of the ratio B/A."""

    is_of_change: bool


def parse_condition(text: str, examples: str) -> Condition:
    """
    Parse a metric, ``<`` or ``>``, and a change in percent or a value.

    Raises:
        UsageError: the text is no condition, or the limit cannot be crossed.
    """
    found = _CONDITION.fullmatch(text.strip())
    if not found:
        is_unsigned = re.search(r"[<>] *[\d.]+ *%", text)
        remedy = (
            "a change needs a sign: +5% or -5%"
            if is_unsigned
            else f"write one as {examples}"
        )
        raise UsageError(f"--fail-if {text!r} is not a condition; {remedy}")
    metric, relation, percent, value = found.groups()
    limit = 1 + float(percent) / 100 if percent else float(value)
    if limit < 0 or (limit == 0 and (percent or relation == "<")):
        raise UsageError(
            f"--fail-if {text!r}: no metric is below 0, and none falls by 100%; write "
            f"a limit that can be crossed"
        )
    return Condition(
        text=" ".join(text.split()),
        metric=metric,
        relation=Direction.HIGHER if relation == ">" else Direction.LOWER,
        limit=limit,
        is_of_change=bool(percent),
    )
