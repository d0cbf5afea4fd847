"""Executes the trials of a run one by one."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import ceil

from autostrada.experiment.next_round import NextRound
from autostrada.machine.idle import IdleWait
from autostrada.machine.layout import MemoryLayout, can_have_layouts
from autostrada.machine.memory import available_bytes
from autostrada.runner.context import BuiltContestants, Endpoints, RunContext
from autostrada.runner.forecast import Forecast
from autostrada.runner.progress import Progress
from autostrada.runner.queue import TrialQueue
from autostrada.runner.request import RunRequest
from autostrada.runner.schedule import Schedule, ScheduledCells, TimeLeft
from autostrada.runner.trial import Start, TrialContext, trial_steps
from autostrada.runner.turns import in_turn
from autostrada.store.record import (
    Attempt,
    Cell,
    Measurement,
    OtherLoad,
    Resumption,
    Trial,
)
from autostrada.workloads.workload import Workload

MEMORY_SHARE_MAX = 0.7
"""Largest share of the available memory that the trials of a start may need."""

TRIAL_BYTES = 256 * 2**20
CONNECTION_BYTES = 64 * 2**10
"""Memory that a trial is assumed to need: for its processes, and for each connection,
at both ends and in the kernel."""


class TrialExecutor:
    """Executes the trials of a run; each is stored before the next begins."""

    def __init__(
        self,
        request: RunRequest,
        context: RunContext,
        built: BuiltContestants,
        progress: Progress,
        resumed: Resumption | None,
    ) -> None:
        self._context = context
        self._points = request.experiment.points()
        self._seed = request.plan.seed
        self._has_layouts = request.plan.sides is not None and can_have_layouts()
        if request.plan.sides and not self._has_layouts:
            progress.announce(
                "both sides have random memory layouts, which takes more rounds: "
                "setarch --addr-no-randomize is not permitted here"
            )
        self._built = built
        self._progress = progress
        self._idle_wait = IdleWait()
        self._expected_ns: dict[Cell, int] = {}
        rounds = resumed.rounds if resumed else 0
        self._schedule = self._find_schedule(request, rounds)
        planned = request.plan.attempts(request.experiment)
        self._queue = TrialQueue(
            [attempt for attempt in planned if self._can_run(attempt.cell)],
            resumed,
            is_budgeted=request.budget_s is not None,
        )
        todo = self._queue.todo()
        self._forecast = Forecast(
            todo,
            planned_s=lambda cell: self._point(cell).duration_s,
            budget_s=request.budget_s,
        )
        progress.begin(self._forecast, done=len(self._queue.done - set(todo)))

    def carry_out(
        self,
        keep: Callable[[Trial], object],
        undecided: Callable[[], Sequence[NextRound]],
        at_load: Callable[[Attempt, Workload], Workload],
    ) -> None:
        """
        Execute all remaining trials; call ``keep`` with each of them.

        With a budget, ``Schedule`` chooses the trials until the time is over;
        ``undecided`` returns the rounds that may decide a claim. ``at_load`` returns
        an attempt's workload with the load that other cells of the run decide.
        """
        todo = self._queue.todo() or self._further(undecided)
        while todo:
            for stages in self._starts(todo):
                with Start(self._layout(stages[0][0])) as start:
                    for attempts in stages:
                        if self._may_begin(attempts):
                            self._execute(attempts, start, at_load, keep)
            todo = self._further(undecided)
        self._progress.conclude(self._queue.disturbed, self._queue.repeated)

    def _starts(self, todo: Sequence[Attempt]) -> Iterator[list[list[Attempt]]]:
        """
        Yield the attempts of each start, in stages: those of a stage run in turn.

        A start has all attempts of a repetition that are measured in slices or share
        servers. Any other attempt is one by itself.
        """
        starts: dict[object, dict[object, list[Attempt]]] = {}
        for number, attempt in enumerate(todo):
            point = self._points[attempt.cell.workload]
            alone = ("alone", number)
            is_sliced = point.slice_plan is not None
            is_of_start = is_sliced or point.shares_servers
            start = ("repetition", attempt.repetition) if is_of_start else alone
            stage = ("workload", point.name) if is_sliced else alone
            starts.setdefault(start, {}).setdefault(stage, []).append(attempt)
        places = {name: place for place, name in enumerate(self._points)}
        for stages in starts.values():
            yield sorted(
                stages.values(), key=lambda stage: places[stage[0].cell.workload]
            )

    def _layout(self, attempt: Attempt) -> MemoryLayout | None:
        """Return the layout of both sides in a round; ``None`` without two sides."""
        if not self._has_layouts:
            return None
        return MemoryLayout.drawn(random.Random(f"{self._seed} {attempt.repetition}"))

    def _find_schedule(self, request: RunRequest, rounds: int) -> Schedule | None:
        """
        Return the schedule of a run with a budget; ``None`` without one.

        ``rounds`` is the number of the first round.
        """
        if request.budget_s is None:
            return None
        compared = request.compared
        cells = [
            cell
            for cell in request.experiment.chosen_cells(request.plan.contestants)
            if self._can_run(cell)
        ]
        scheduled = ScheduledCells(
            compared=[cell for cell in compared if cell in cells],
            others=[cell for cell in cells if cell not in compared],
            workloads=list(self._points),
            dependent=[
                name for name, point in self._points.items() if point.is_dependent
            ],
            preceding=request.experiment.preceding_cells(),
        )
        return Schedule(
            scheduled,
            repetitions=request.plan.repetitions,
            seed=request.plan.seed,
            rounds=rounds,
        )

    def _can_run(self, cell: Cell) -> bool:
        """Whether both ends were built and speak the same protocol."""
        if not {cell.server, cell.client} <= self._built.keys():
            return False
        return self._endpoints_of(cell).has_common_protocol

    def _endpoints_of(self, cell: Cell) -> Endpoints:
        workload = self._points[cell.workload]
        return self._context.endpoints_of(cell, workload, self._built)

    def _further(self, undecided: Callable[[], Sequence[NextRound]]) -> list[Attempt]:
        """Return the next round of a run with a budget; empty if the run is over."""
        schedule = self._schedule
        if schedule is None:
            return []
        done, left = self._queue.done, self._time_left()
        todo = schedule.first(done, left) or schedule.further(done, left, undecided())
        self._queue.extend(todo)
        self._progress.extend(todo)
        return todo

    def _may_begin(self, attempts: Sequence[Attempt]) -> bool:
        return self._schedule is None or self._schedule.may_begin(
            attempts, self._queue.done, self._time_left()
        )

    def _time_left(self) -> TimeLeft:
        left_s = self._forecast.budget_left_s
        return TimeLeft(left_s=left_s, expected_s=self._forecast.expected_s)

    def _point(self, cell: Cell) -> Workload:
        """Return a cell's workload, whose warm-up suffices for both ends."""
        workload = self._points[cell.workload]
        return workload.warmed_up(self._endpoints_of(cell).warm_up_s)

    def _execute(
        self,
        attempts: Sequence[Attempt],
        start: Start,
        at_load: Callable[[Attempt, Workload], Workload],
        keep: Callable[[Trial], object],
    ) -> None:
        """Run the attempts of a stage in turn; one alone again if it is disturbed."""
        is_repeated = True
        while is_repeated:
            self._progress.start(attempts[0])
            before_s = time.monotonic()
            idle_state = self._idle_wait.wait_until_idle()
            idle_s = time.monotonic() - before_s
            load = OtherLoad(
                settled_ns=idle_state.waited_ns, load_before=idle_state.load
            )
            groups = self._groups(attempts)
            trials = [
                [
                    trial_steps(
                        self._context,
                        attempt,
                        at_load(attempt, self._point(attempt.cell)),
                        self._endpoints_of(attempt.cell),
                        TrialContext(
                            retry=self._queue.retry_of(attempt),
                            other_load=load,
                            expected_ns=self._expected_ns.get(attempt.cell),
                            rounds=rounds,
                        ),
                        start,
                    )
                    for attempt, rounds in group
                ]
                for group in groups
            ]
            attempts = [attempt for group in groups for attempt, _ in group]
            order = random.Random(f"{self._seed} {attempts[0]}")
            for position, trial, turns_s in in_turn(trials, order):
                attempt = attempts[position]
                if isinstance(trial.outcome, Measurement):
                    self._expected_ns[attempt.cell] = trial.outcome.duration_ns
                taken_s = turns_s + idle_s / len(attempts)
                keep(replace(trial, taken_ns=round(taken_s * 1e9)))
                is_repeated = self._queue.note(attempt, trial)
                self._progress.finish(attempt, trial, taken_s, is_repeated=is_repeated)

    def _groups(self, attempts: Sequence[Attempt]) -> list[list[tuple[Attempt, int]]]:
        """
        Return those attempts that run at the same time, each with its rounds.

        If the memory does not suffice for all of a stage, there are several groups,
        which the first attempt connects: it takes turns with all of them.
        """
        point = self._points[attempts[0].cell.workload]
        plan = point.slice_plan
        if plan is None:
            return [[(attempt, 0)] for attempt in attempts]
        free_bytes = MEMORY_SHARE_MAX * available_bytes()
        needed_bytes = TRIAL_BYTES + point.total_connections * CONNECTION_BYTES
        groups = group_attempts(attempts, plan.rounds, int(free_bytes // needed_bytes))
        if len(groups) > 1:
            self._progress.announce(
                f"{point.name}: the memory suffices for {len(groups[0])} of "
                f"{len(attempts)} at a time: {len(groups)} groups, each with "
                f"{attempts[0].cell.contestant}"
            )
        return groups


def group_attempts(
    attempts: Sequence[Attempt], rounds: int, size: int
) -> list[list[tuple[Attempt, int]]]:
    """
    Divide the attempts of a stage into groups of at most ``size``, or of two.

    Each attempt comes with the number of its rounds. The first one is in all groups,
    and has the rounds of all.
    """
    first, *others = attempts
    count = 1
    if len(attempts) > size:
        count = ceil(len(others) / max(1, size - 1))
    groups = [
        [(attempt, rounds) for attempt in others[number::count]]
        for number in range(count)
    ]
    groups[0].insert(0, (first, count * rounds))
    return groups
