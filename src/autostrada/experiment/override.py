"""Parameters of workloads that are others in one run: ``soak.seconds=7200``."""

import tomllib
from collections.abc import Iterable
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
    experiment: Experiment, *, is_quick: bool, overrides: Iterable[str]
) -> Experiment:
    """
    Return an experiment as a run has it, quick or not, with what is another in it.

    Raises:
        UsageError: a parameter that is to be another does not exist, or may not be.
    """
    planned = experiment.quickly() if is_quick else experiment
    return overridden(planned, map(parse_override, overrides))


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
        raise UsageError(f"--set {override.text!r}: {first_fault(error)}") from error
