"""Executes the trials of a run one by one."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from autostrada.experiment.next_round import NextRound
from autostrada.machine.idle import IdleWait
from autostrada.runner.context import Endpoints, Programs, RunContext
from autostrada.runner.forecast import Forecast
from autostrada.runner.progress import Progress
from autostrada.runner.queue import TrialQueue
from autostrada.runner.request import RunEnvironment, RunRequest
from autostrada.runner.schedule import Schedule, TimeLeft
from autostrada.runner.trial import TrialContext, run_trial
from autostrada.store.record import (
    Attempt,
    Cell,
    Measurement,
    OtherLoad,
    Resumption,
    Trial,
)
from autostrada.workloads.workload import Workload


class TrialExecutor:
    """Executes the trials of a run; each is stored before the next begins."""

    def __init__(
        self,
        request: RunRequest,
        environment: RunEnvironment,
        programs: Mapping[str, Programs],
        progress: Progress,
        resumed: Resumption | None,
    ) -> None:
        self._context = RunContext(
            experiment=request.experiment,
            engine=environment.engine,
            host=environment.host,
            certificates=environment.certificates,
            client_hosts=environment.client_hosts,
        )
        self._points = request.experiment.points()
        self._programs = programs
        self._progress = progress
        self._idle_wait = IdleWait()
        self._expected_ns: dict[Cell, int] = {}
        self._schedule = self._find_schedule(request)
        self._queue = self._find_queue(request, resumed)
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
        rate_of: Callable[[Cell], float | None],
    ) -> None:
        """
        Execute all remaining trials; call ``keep`` with each of them.

        With a budget, ``Schedule`` chooses the trials until the time is over;
        ``undecided`` returns the rounds that may decide a claim. ``rate_of`` returns
        the rate that a cell has reached, for workloads that offer a share of it.
        """
        todo = self._queue.todo() or self._further(undecided)
        while todo:
            for attempt in todo:
                if self._time_left().fitting([attempt.cell]):
                    workload = self._workload(attempt.cell, rate_of)
                    self._execute(attempt, workload, keep)
            todo = self._further(undecided)
        self._progress.conclude(self._queue.disturbed, self._queue.repeated)

    def _find_schedule(self, request: RunRequest) -> Schedule | None:
        """Return the schedule of a run with a budget; ``None`` without one."""
        if request.budget_s is None:
            return None
        compared = request.compared
        cells = [
            cell
            for cell in request.experiment.chosen_cells(request.plan.contestants)
            if self._can_run(cell)
        ]
        return Schedule(
            [cell for cell in compared if cell in cells],
            [cell for cell in cells if cell not in compared],
            workloads=list(self._points),
            dependent=[
                name for name, point in self._points.items() if point.rate_source
            ],
            repetitions=request.plan.repetitions,
            seed=request.plan.seed,
        )

    def _find_queue(
        self, request: RunRequest, resumed: Resumption | None
    ) -> TrialQueue:
        planned = request.plan.attempts(request.experiment)
        return TrialQueue(
            [attempt for attempt in planned if self._can_run(attempt.cell)],
            resumed,
            is_budgeted=request.budget_s is not None,
        )

    def _can_run(self, cell: Cell) -> bool:
        """Whether both ends were built and speak the same protocol."""
        if not {cell.server, cell.client} <= self._programs.keys():
            return False
        return self._endpoints_of(cell).has_common_protocol

    def _endpoints_of(self, cell: Cell) -> Endpoints:
        workload = self._points[cell.workload]
        return self._context.endpoints_of(cell, workload, self._programs)

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

    def _time_left(self) -> TimeLeft:
        left_s = self._forecast.budget_left_s
        return TimeLeft(left_s=left_s, expected_s=self._forecast.expected_s)

    def _point(self, cell: Cell) -> Workload:
        """Return a cell's workload, whose warm-up suffices for both ends."""
        workload = self._points[cell.workload]
        return workload.warmed_up(self._endpoints_of(cell).warm_up_s)

    def _workload(
        self, cell: Cell, rate_of: Callable[[Cell], float | None]
    ) -> Workload:
        """Return a cell's workload, at the load that another one's rate decides."""
        workload = self._point(cell)
        if source := workload.rate_source:
            rate_per_s = rate_of(replace(cell, workload=source))
            return workload.at_rate(rate_per_s) if rate_per_s else workload
        return workload

    def _execute(
        self, attempt: Attempt, workload: Workload, keep: Callable[[Trial], object]
    ) -> None:
        """Run an attempt, with retries if it is disturbed."""
        is_repeated = True
        while is_repeated:
            self._progress.start(attempt)
            before_s = time.monotonic()
            idle_state = self._idle_wait.wait_until_idle()
            trial = run_trial(
                self._context,
                attempt,
                workload,
                self._endpoints_of(attempt.cell),
                TrialContext(
                    retry=self._queue.retry_of(attempt),
                    other_load=OtherLoad(
                        settled_ns=idle_state.waited_ns, load_before=idle_state.load
                    ),
                    expected_ns=self._expected_ns.get(attempt.cell),
                ),
            )
            if isinstance(trial.outcome, Measurement):
                self._expected_ns[attempt.cell] = trial.outcome.duration_ns
            taken_s = time.monotonic() - before_s
            keep(replace(trial, taken_ns=round(taken_s * 1e9)))
            is_repeated = self._queue.note(attempt, trial)
            self._progress.finish(attempt, trial, taken_s, is_repeated=is_repeated)
