"""The change report of the loads of two names, from the history of loads."""

from collections.abc import Mapping, Sequence
from typing import cast

from autostrada.errors import UsageError
from autostrada.report.compare.change_report import ChangeReport
from autostrada.report.compare.compared_metric import ComparedMetric
from autostrada.report.compare.gate import ConditionKind, check_condition
from autostrada.report.compare.sentences import NOTE, conclude, confidence_note
from autostrada.report.history import in_unit, load_asked, load_time, loads_called
from autostrada.report.number import count
from autostrada.report.samples import Sampled
from autostrada.stats.condition import Condition
from autostrada.stats.metrics import Better, Group, Metric, Unit
from autostrada.store.history import LoadMetric, SavedLoad

CONDITIONS = ConditionKind(examples="'p99 > +5%' or 'rate < -5%'")

SPEEDS: Mapping[str, tuple[Group, Better]] = {
    "per_s": (Group.THROUGHPUT, "higher"),
    "s": (Group.LATENCY, "lower"),
}
"""How metrics of speed are declared, by unit; all others are amounts."""

AMOUNT: tuple[Group, Better] = Group.CPU, "neither"


def report_loads(
    before: str,
    after: str,
    loads: Sequence[SavedLoad],
    conditions: Sequence[Condition] = (),
) -> ChangeReport:
    """
    Compare the loads of two names, metric by metric.

    Raises:
        UsageError: a name has no loads, both are the same, their loads are different,
            or a condition cannot be checked.
    """
    if before == after:
        raise UsageError(f"{before} and {after} are the same: name two")
    groups = loads_called(before, loads), loads_called(after, loads)
    asked = sorted({load_asked(load) for group in groups for load in group})
    if len(asked) > 1:
        raise UsageError(
            f"these names have different loads ({'; '.join(asked)}): give each load a "
            "--name of its own"
        )
    rows = tuple(
        _compared(metric, *groups)
        for metric in groups[1][0].metrics
        if all(load.metric(metric.name) for group in groups for load in group)
    )
    names = before, after
    return ChangeReport(
        names=names,
        origins=(_origin(groups[0]), _origin(groups[1])),
        rows=rows,
        conclusion=conclude(names, rows, "metric"),
        gates=tuple(check_condition(condition, rows) for condition in conditions),
        note=f"{NOTE}{confidence_note(rows, 'load')}",
        repetition="load",
        loads=dict(zip(names, groups, strict=True)),
    )


def _compared(
    metric: LoadMetric, before: Sequence[SavedLoad], after: Sequence[SavedLoad]
) -> ComparedMetric:
    group, better = SPEEDS.get(metric.unit, AMOUNT)
    return ComparedMetric(
        metric=Metric(
            name=metric.name,
            title=metric.name,
            unit=cast("Unit", metric.unit),
            better=better,
            group=group,
            kinds="load",
            meaning=metric.title,
        ),
        before=_sampled(metric.name, before),
        after=_sampled(metric.name, after),
        repetitions=(len(before), len(after)),
        write=lambda metric, value: in_unit(value, metric.unit),
    )


def _sampled(name: str, loads: Sequence[SavedLoad]) -> Sampled:
    metrics = (load.metric(name) for load in loads)
    return Sampled(values=tuple(metric.value for metric in metrics if metric))


def _origin(loads: Sequence[SavedLoad]) -> str:
    """Describe the loads of a name: number, what was asked for, and when."""
    first, last = load_time(loads[0]), load_time(loads[-1])
    times = first if first == last else f"{first} to {last}"
    counts = count(len(loads), "load")
    return f"{loads[0].name}: {counts}, {load_asked(loads[0])}, {times}"
