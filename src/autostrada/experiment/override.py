"""Overrides of an experiment for one run: parameters, and a selection of workloads."""

import tomllib
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from autostrada.errors import UsageError
from autostrada.experiment.document import first_fault
from autostrada.experiment.experiment import Experiment, refuse_contradictions
from autostrada.workloads import AnyWorkload
from autostrada.workloads.workload import Workload

_WORKLOAD: TypeAdapter[Workload] = TypeAdapter(AnyWorkload)


def overridden(experiment: Experiment, overrides: Iterable[str]) -> Experiment:
    """
    Return an experiment with some parameters of its workloads replaced.

    Each override is ``WORKLOAD.PARAMETER=VALUE``, with a TOML value.

    Raises:
        UsageError: an override does not have this form, a workload or parameter does
            not exist, or the value is invalid.
    """
    workloads: dict[str, Workload] = {
        workload.name: workload for workload in experiment.workload
    }
    for text in overrides:
        name, keys, value = _parsed(text)
        if name not in workloads:
            raise UsageError(
                f"--set {text!r}: no workload {name!r}; choose from "
                f"{', '.join(workloads)}"
            )
        document: dict[str, Any] = workloads[name].model_dump(exclude_unset=True)
        _set(document, keys, value)
        try:
            workloads[name] = _WORKLOAD.validate_python(document)
        except ValidationError as error:
            fault = first_fault(error, document)
            raise UsageError(f"--set {text!r}: {fault}") from error
    changed = experiment.model_copy(update={"workload": tuple(workloads.values())})
    refuse_contradictions(changed, origin="--set")
    return changed


def experiment_for_run(
    experiment: Experiment,
    *,
    is_quick: bool,
    overrides: Iterable[str] = (),
    workloads: Sequence[str] = (),
) -> Experiment:
    """Return the experiment of a run: quick or not, overridden, some workloads."""
    planned = experiment.quick_version() if is_quick else experiment
    return limited(overridden(planned, overrides), workloads)


def limited(experiment: Experiment, names: Sequence[str]) -> Experiment:
    """
    Return an experiment with only the named workloads; without names, with all.

    Raises:
        UsageError: a workload does not exist, or needs one that is not selected.
    """
    known = [workload.name for workload in experiment.workload]
    for name in names:
        if name not in known:
            raise UsageError(
                f"--workload {name!r}: no such workload; choose from {', '.join(known)}"
            )
    if not names:
        return experiment
    chosen = [workload for workload in experiment.workload if workload.name in names]
    changed = experiment.model_copy(update={"workload": tuple(chosen)})
    refuse_contradictions(changed, origin="--workload")
    return changed


def _parsed(text: str) -> tuple[str, Sequence[str], object]:
    """Return the workload of an override, the keys of the parameter, and its value."""
    place, equals, value = text.partition("=")
    workload, *keys = place.split(".")
    if not (equals and workload and keys and all(keys)):
        raise UsageError(
            f"--set {text!r} names no parameter of a workload; write it like "
            f"soak.seconds=7200"
        )
    try:
        return workload, keys, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"--set {text!r}: {value!r} is not a TOML value; write it like 7200, true, "
            f'[1, 2] or "text"'
        ) from error


def _set(table: dict[str, Any], keys: Sequence[str], value: object) -> None:
    """Set the value of a key in nested tables."""
    *parents, last = keys
    for key in parents:
        # A value that is not a table is replaced by one, which validation rejects.
        inner = table.get(key)
        table[key] = dict(inner) if isinstance(inner, dict) else {}
        table = table[key]
    table[last] = value
