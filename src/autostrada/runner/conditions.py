"""The conditions of a trial: what disturbed it, and what is missing of it."""

from dataclasses import dataclass, replace

from autostrada.evidence.aggregation import REFERENCE_CLIENT, aggregate_by_end
from autostrada.evidence.ends import missing_totals
from autostrada.evidence.results import engine_delay
from autostrada.evidence.slices import within_slices
from autostrada.machine.noise import (
    core_groups,
    disturbance,
    missed_samples,
    stolen_share,
)
from autostrada.runner.context import RunContext
from autostrada.store.record import Failure, Measurement, Observation
from autostrada.workloads.workload import Workload


@dataclass(frozen=True, kw_only=True, slots=True)
class Conditions:
    """What is known of the conditions of a trial after it."""

    disturbance: str
    """What disturbed it, in words; ``""`` if nothing did."""

    stolen_share: float | None
    """Largest share of a core that the hypervisor took; ``None`` if it is unknown."""

    observation: Observation
    """The observation, with what is missing in it; of the slices if there are."""


def find_conditions(
    context: RunContext,
    workload: Workload,
    outcome: Measurement | Failure,
    observation: Observation,
    *,
    every_ms: float,
    has_references: bool,
) -> Conditions:
    """Return the conditions of a trial that was sampled every ``every_ms``."""
    window_ns = None
    if isinstance(outcome, Measurement):
        window_ns = outcome.duration_ns
        observation = _with_missing_metrics(observation, outcome, context)
    host = context.host
    extra = {REFERENCE_CLIENT: host.reference_cpus} if has_references else {}
    groups = core_groups(host, extra)
    reasons: list[str] = []
    # What disturbs the machine for longer than a round disturbs all slices of it.
    if not workload.slice_plan:
        disturbed = disturbance(aggregate_by_end(observation), groups, window_ns)
        missed = missed_samples(observation, window_ns, every_ms) if window_ns else ""
        reasons = [disturbed, missed, engine_delay(outcome)]
    return Conditions(
        disturbance="; ".join(reason for reason in reasons if reason),
        stolen_share=stolen_share(observation, groups, window_ns),
        observation=observation,
    )


def _with_missing_metrics(
    observation: Observation, measurement: Measurement, context: RunContext
) -> Observation:
    observation = within_slices(observation, measurement.slices)
    hosts = context.client_hosts
    missing = (
        *observation.missing_metrics,
        *missing_totals(
            observation, measurement.processes, unobserved="client" if hosts else None
        ),
        *(hosts.missing_metrics if hosts else ()),
    )
    return replace(observation, missing_metrics=missing)
