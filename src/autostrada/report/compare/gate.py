"""``--fail-if``: conditions under which a comparison fails, ``p99 > +5%``."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from autostrada.errors import UsageError
from autostrada.report import number
from autostrada.report.compare.compared_metric import ComparedMetric
from autostrada.report.compare.sentences import further_time
from autostrada.report.text import few
from autostrada.stats.condition import Condition, parse_condition

ALIKE_MAX = 4
"""Largest number of metrics that a refusal names."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ConditionKind:
    """The conditions that a kind of comparison can be checked with."""

    examples: str
    known: Collection[str] = ()
    """Names of metrics; empty if only the sides tell them."""

    is_of_change: bool = True
    """Whether a condition must be on a change."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GateResult:
    """The result of a condition of ``--fail-if``, in lines."""

    condition: str
    failed: tuple[str, ...] = ()
    """Cells that meet the condition, each with its evidence."""

    undecided: tuple[str, ...] = ()
    """One line of all cells whose interval is partly beyond the limit."""

    passed: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    """Cells that cannot be checked, each with the reason."""

    @property
    def lines(self) -> Iterator[str]:
        """All lines, each with its result and the condition."""
        for result, lines in (
            ("failed", self.failed),
            ("undecided", self.undecided),
            ("passed", self.passed),
            ("not judged", self.unchecked),
        ):
            yield from (f"{result}: {self.condition}: {line}" for line in lines)


def parse_gate(text: str, kind: ConditionKind) -> Condition:
    """
    Parse a condition that a kind of comparison can be checked with.

    Raises:
        UsageError: the text is no such condition, or the metric is unknown.
    """
    condition = parse_condition(text, kind.examples)
    if kind.is_of_change and not condition.is_of_change:
        raise UsageError(
            f"--fail-if {text!r} is not a change of a metric; write one as "
            f"{kind.examples}"
        )
    if kind.known and condition.metric not in kind.known:
        raise UsageError(
            f"--fail-if {text!r}: no metric is called {condition.metric!r}; "
            f"{_remedy(condition.metric, kind)}"
        )
    return condition


def _remedy(name: str, kind: ConditionKind) -> str:
    """Name the metrics, or up to three that are similar or contain the name."""
    if len(kind.known) <= ALIKE_MAX:
        return f"choose one of {', '.join(kind.known)}"
    close = get_close_matches(name, kind.known, n=3, cutoff=0.6)
    parts = [metric for metric in kind.known if name in metric.split("_")]
    alike = (close or parts)[:3]
    remedy = f"did you mean {' or '.join(alike)}? " if alike else ""
    return f"{remedy}docs/experiments.md lists all metrics"


def check_condition(
    condition: Condition,
    metrics: Iterable[ComparedMetric],
    nothing_in_common: str = "",
) -> GateResult:
    """
    Check the metrics of all cells with a condition.

    ``nothing_in_common`` is the reason why there are none.

    Raises:
        UsageError: no cell can be checked, so the condition could never fail.
    """
    cells: dict[str, dict[str, ComparedMetric]] = {}
    for metric in metrics:
        cells.setdefault(metric.cell, {})[metric.metric.name] = metric
    lines: dict[bool | None, list[str]] = {True: [], None: [], False: []}
    open_metrics: list[ComparedMetric] = []
    unchecked: list[str] = []
    reasons: list[str] = []
    for cell, found in cells.items():
        prefix = f"{cell}: " if cell else ""
        if reason := _unchecked_reason(condition, found):
            reasons.append(reason)
            unchecked.append(f"{prefix}{reason}")
            continue
        is_met, evidence = found[condition.metric].check(condition)
        lines[is_met].append(f"{prefix}{evidence}")
        if is_met is None:
            open_metrics.append(found[condition.metric])
    if len(unchecked) == len(cells):
        reason = next(iter(reasons), nothing_in_common)
        known = dict.fromkeys(name for found in cells.values() for name in found)
        if known and condition.metric not in known:
            reason += f"; choose one of {', '.join(known)}"
        raise UsageError(f"--fail-if {condition.text!r} cannot be judged: {reason}")
    passed, undecided = lines[False], few(lines[None])
    if more := further_time(open_metrics):
        undecided += f", which {more}"
    return GateResult(
        condition=condition.text,
        failed=tuple(lines[True]),
        undecided=(undecided,) if undecided else (),
        passed=(
            (f"in {number.count(len(passed), 'cell')}",)
            if len(passed) > 1
            else tuple(passed)
        ),
        unchecked=tuple(unchecked),
    )


def _unchecked_reason(
    condition: Condition, metrics: Mapping[str, ComparedMetric]
) -> str:
    if found := metrics.get(condition.metric):
        return found.unchecked_reason(condition)
    return f"{condition.metric} is not known"
