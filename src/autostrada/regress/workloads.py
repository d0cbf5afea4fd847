"""What two sides are measured with: the workloads that both have and time allows."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autostrada.contestants.claims import refuse_unclaimed
from autostrada.contestants.contestant import Contestant
from autostrada.errors import UsageError
from autostrada.experiment.experiment import Experiment
from autostrada.experiment.matrix import REFERENCE
from autostrada.experiment.override import limited, overridden
from autostrada.report import number
from autostrada.report.compare.rounds import end_of, main_metric, planned_rows
from autostrada.runner.forecast import OVERHEAD_S
from autostrada.stats.equivalence import LOOKS
from autostrada.workloads.workload import Workload

WORKLOADS = Path(__file__).with_name("regress.toml")

ROUNDS_MIN = 16
"""Number of rounds for which there has to be time: fewer rarely decide within 3 %."""

ROUNDS_FACTOR = 2
"""Largest number of rounds as a multiple of those that several workloads have time for:
the time of decided rows is spent on the others."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChosenWorkloads:
    """The workloads of a comparison of two sides."""

    names: tuple[str, ...]
    overrides: tuple[str, ...]
    """Parameters that make the sides an end of each workload, as of ``--set``."""

    left_out: tuple[str, ...]
    """Each other workload, with the reason."""

    rounds_max: int


def choose_workloads(
    experiment: Experiment,
    sides: Sequence[Contestant],
    budget_s: float,
    given: Mapping[str, Sequence[str]] | None = None,
    metrics: Collection[str] = (),
) -> ChosenWorkloads:
    """
    Choose the workloads of an experiment that both sides claim and time allows.

    ``given`` are further overrides of workloads by name, which leave out all others.
    ``metrics`` are those that a row is needed for: the first workload with each has
    precedence.

    Raises:
        UsageError: the sides have none in common, or none with one of the metrics.
    """
    names = tuple(side.name for side in sides)
    known = {side.name: side for side in sides}
    overrides: list[str] = []
    left_out: list[str] = []
    kept: dict[str, Workload] = {}
    taken_s = 0.0
    for workload in _by_precedence(experiment.workload, metrics):
        if given is not None and workload.name not in given:
            continue
        own = (*_ends(workload, names), *(given or {}).get(workload.name, ()))
        try:
            changed = limited(overridden(experiment, own), [workload.name])
            refuse_unclaimed(names, known, changed)
        except UsageError as error:
            left_out.append(f"{workload.name}: {error}")
            continue
        needed_s = sum(planned_s(workload, side) + OVERHEAD_S for side in sides)
        if kept and ROUNDS_MIN * (taken_s + needed_s) > budget_s:
            budget = number.minutes(ROUNDS_MIN * (taken_s + needed_s) + 30)
            left_out.append(f"{workload.name}: it needs a --budget of {budget}")
            continue
        taken_s += needed_s
        kept[workload.name] = workload
        overrides += own
    if not kept:
        raise UsageError(f"the sides have no workload in common: {left_out[0]}")
    rows = {name for name, _ in planned_rows([*kept.values()])}
    if lacking := sorted(set(metrics) - rows):
        reason = left_out[0] if left_out else "no workload has it"
        raise UsageError(f"--fail-if cannot judge {lacking[0]}: {reason}")
    wanted = (ROUNDS_FACTOR if len(kept) > 1 else 1) * budget_s / taken_s
    return ChosenWorkloads(
        names=tuple(kept),
        overrides=tuple(overrides),
        left_out=tuple(left_out),
        rounds_max=next((look for look in LOOKS if look >= wanted), LOOKS[-1]),
    )


def _by_precedence(
    workloads: Sequence[Workload], metrics: Collection[str]
) -> list[Workload]:
    """Return workloads in order, those first that a metric needs."""
    first = {main_metric(workload): workload for workload in reversed(workloads)}
    needed = [first[name] for name in metrics if name in first]
    return sorted(workloads, key=lambda workload: workload not in needed)


def _ends(workload: Workload, names: Sequence[str]) -> Iterator[str]:
    """Yield the overrides that make contestants an end, and the engine the other."""
    ends = [json.dumps([*names]), json.dumps([REFERENCE])]
    servers, clients = reversed(ends) if end_of(workload) == "client" else ends
    for key, value in (
        ("servers", servers),
        ("clients", clients),
        ("omit_servers", "[]"),
        ("omit_clients", "[]"),
    ):
        yield f"{workload.name}.{key}={value}"


def planned_s(workload: Workload, side: Contestant) -> float:
    """Return the planned duration of a trial of a side, without what precedes it."""
    program = side.program(end_of(workload))
    warmed = workload.warmed_up(program.warm_up_s if program else 0.0)
    plan = warmed.slice_plan
    settling_s = plan.rounds * plan.settle_s if plan else 0.0
    return warmed.duration_s + settling_s
