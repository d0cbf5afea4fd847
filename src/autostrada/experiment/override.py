"""What one run has other than its file: ``soak.seconds=7200``, some workloads."""

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from autostrada.errors import UsageError
from autostrada.experiment.document import first_fault
from autostrada.experiment.experiment import Experiment, refuse_contradictions
from autostrada.workloads import AnyWorkload
from autostrada.workloads.workload import Workload

_WORKLOAD: TypeAdapter[Workload] = TypeAdapter(AnyWorkload)


@dataclass(frozen=True, kw_only=True, slots=True)
class Override:
    """One parameter of one workload, and its value."""

    text: str
    """As it was given."""

    workload: str
    keys: tuple[str, ...]
    """Where it stands: ``("search", "last")``."""

    value: object


def parse_override(text: str) -> Override:
    """
    Read ``WORKLOAD.PARAMETER=VALUE``; the value is written as in an experiment's file.

    Raises:
        UsageError: it is none.
    """
    place, equals, value = text.partition("=")
    workload, *keys = place.split(".")
    if not (equals and workload and keys and all(keys)):
        raise UsageError(
            f"--set {text!r} names no parameter of a workload; write one like "
            f"soak.seconds=7200"
        )
    try:
        parsed = tomllib.loads(f"value = {value}")
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"--set {text!r}: {value!r} is no value of TOML: write 7200, true, [1, 2] "
            f'or "text"'
        ) from error
    return Override(
        text=text, workload=workload, keys=tuple(keys), value=parsed["value"]
    )


def overridden(experiment: Experiment, overrides: Iterable[Override]) -> Experiment:
    """
    Return an experiment with some parameters of its workloads replaced.

    Raises:
        UsageError: a workload or parameter does not exist, or may not have the value.
    """
    workloads: dict[str, Workload] = {
        workload.name: workload for workload in experiment.workload
    }
    for override in overrides:
        workload = workloads.get(override.workload)
        if workload is None:
            raise UsageError(
                f"--set {override.text!r}: no workload {override.workload!r}; there is "
                f"{', '.join(workloads)}"
            )
        workloads[override.workload] = _with(workload, override)
    changed = experiment.model_copy(update={"workload": tuple(workloads.values())})
    refuse_contradictions(changed, origin="--set")
    return changed


def as_run(
    experiment: Experiment,
    *,
    is_quick: bool,
    overrides: Iterable[str] = (),
    workloads: Sequence[str] = (),
) -> Experiment:
    """
    Return an experiment as a run has it: quick or not, overridden, some workloads.

    Raises:
        UsageError: a parameter that is to be another does not exist, or may not be; or
            there is no such workload.
    """
    planned = experiment.quickly() if is_quick else experiment
    return limited(overridden(planned, map(parse_override, overrides)), workloads)


def limited(experiment: Experiment, names: Sequence[str]) -> Experiment:
    """
    Return an experiment with some of its workloads alone; without names with all.

    Raises:
        UsageError: there is no such workload, or one needs another one.
    """
    known = [workload.name for workload in experiment.workload]
    for name in names:
        if name not in known:
            raise UsageError(
                f"--workload {name!r}: there is no such workload; there is "
                f"{', '.join(known)}"
            )
    if not names:
        return experiment
    chosen = [each for each in experiment.workload if each.name in names]
    changed = experiment.model_copy(update={"workload": tuple(chosen)})
    refuse_contradictions(changed, origin="--workload")
    return changed


def _with(workload: Workload, override: Override) -> Workload:
    document: dict[str, Any] = workload.model_dump(exclude_unset=True)
    *rooms, last = override.keys
    room = document
    for key in rooms:
        # What stands there and is no table is replaced, and then refused for its kind.
        inner = room.get(key)
        room[key] = dict(inner) if isinstance(inner, dict) else {}
        room = room[key]
    room[last] = override.value
    try:
        return _WORKLOAD.validate_python(document)
    except ValidationError as error:
        raise UsageError(
            f"--set {override.text!r}: {first_fault(error, document)}"
        ) from error
