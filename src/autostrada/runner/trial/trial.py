"""One trial: a server, a client, an observer, and what becomes of them."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from autostrada.errors import ContestantError, NotClaimed
from autostrada.experiment.matrix import Attempt
from autostrada.experiment.workload import Bots, Feed, Push, Workload
from autostrada.machine.host import Host
from autostrada.machine.noise import disturbance, missed_samples, places
from autostrada.runner.evidence.ends import missing_totals
from autostrada.runner.evidence.joined import joined
from autostrada.runner.evidence.loaded import held_up
from autostrada.runner.observer import Watch, look_interval_ms, observing
from autostrada.runner.trial.bots.bots import measure_bots
from autostrada.runner.trial.cast import Cast, Course
from autostrada.runner.trial.feed.feed import measure_feed
from autostrada.runner.trial.push import measure_push
from autostrada.store import record

UNKNOWN = record.Quiet()
"""Nobody has looked how quiet the machine was."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialContext:
    """What is known before a trial."""

    retry: int = 0
    quiet: record.Quiet = UNKNOWN
    """How the machine was just before."""

    expected_ns: int | None = None
    """How long it took another time."""


NO_HISTORY = TrialContext()


def run_trial(
    course: Course,
    attempt: Attempt,
    workload: Workload,
    cast: Cast,
    before: TrialContext = NO_HISTORY,
) -> record.Trial:
    """
    Run one attempt, and leave nothing of it behind, whatever happens.

    How the machine was disturbed meanwhile is added to what was known of it. A trial
    that is expected to be short is looked at more often.
    """
    course = replace(course, host=stage(course.host, cast))
    started_at = datetime.now(UTC)
    outcome: record.Measurement | record.Failure
    every_ms = look_interval_ms(before.expected_ns)
    cpus = course.host.observer_cpus
    with observing(course.engine, cpus=cpus, every_ms=every_ms) as watch:
        try:
            if attempt.cell not in course.experiment.cells():
                _expect_claimed(cast, workload)
            outcome = _measure(course, workload, cast, watch)
        except ContestantError as error:
            outcome = record.Failure(
                kind=error.kind,
                message=str(error),
                stderr_tail=error.stderr_tail,
                process=error.process,
            )
        watch.end()
        observation = watch.observation()
    window_ns = None
    if isinstance(outcome, record.Measurement):
        window_ns = outcome.duration_ns
        observation = _completed(observation, outcome)
    disturbed = disturbance(joined(observation), places(course.host), window_ns)
    missed = (
        "" if window_ns is None else missed_samples(observation, window_ns, every_ms)
    )
    reasons = [each for each in (disturbed, missed, _held_up(outcome)) if each]
    return record.Trial(
        cell=attempt.cell,
        repetition=attempt.repetition,
        is_warm_up=attempt.is_warm_up,
        started_at=started_at,
        outcome=outcome,
        retry=before.retry,
        quiet=replace(before.quiet, disturbance="; ".join(reasons)),
        observation=observation,
    )


def _expect_claimed(cast: Cast, workload: Workload) -> None:
    """
    Make sure that a client that was not invited claims what the workload is about.

    Raises:
        NotClaimed: it does not compress, and would be ranked with those that do.
    """
    is_compressed = isinstance(workload, Push) and workload.deflate
    if is_compressed and cast.client and not cast.client.deflate:
        raise NotClaimed(
            f"it does not claim compression (client.deflate of its contestant.toml), "
            f"which {workload.name} is about"
        )


def stage(host: Host, cast: Cast) -> Host:
    """
    Return which cores the ends of a trial get: the engine is nearer to the observer.

    Who is measured has the client's cores where the engine is the client, as well.
    """
    if cast.client is not None or cast.server is None:
        return host
    return replace(host, server_cpus=host.client_cpus, client_cpus=host.server_cpus)


def _completed(
    observation: record.Observation, outcome: record.Measurement
) -> record.Observation:
    """Add of which processes it is not known what they used."""
    lacking = missing_totals(observation, outcome.processes)
    missing = (*observation.missing_figures, *lacking)
    return replace(observation, missing_figures=missing)


def _held_up(outcome: record.Measurement | record.Failure) -> str:
    """Say that the engine's client was late although it had time."""
    if isinstance(outcome, record.Failure):
        return ""
    clients = [each for each in outcome.ends if each.process == "client"]
    shares = [each.busy_share for each in clients if each.busy_share is not None]
    busy_share = max(shares, default=1.0)
    return held_up(outcome.engine_limit, busy_share)


def _measure(
    course: Course, workload: Workload, cast: Cast, watch: Watch
) -> record.Measurement:
    match workload:
        case Push():
            return measure_push(course, workload, cast, watch)
        case Feed():
            return measure_feed(course, workload, cast, watch)
        case Bots():
            return measure_bots(course, workload, cast, watch)
