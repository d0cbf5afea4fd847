"""
Trials in slices: all are started, connected and warm, and one at a time exchanges.

What slows the machine for longer than a round slows all of them. A trial is a generator
that yields before each of its turns; ``in_turn`` lets one after the other go on.
"""

import random
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from pydantic import BaseModel

from autostrada.engine.messages import Opened, Slice
from autostrada.engine.process import send_document
from autostrada.errors import AutostradaError, ContestantError, TimedOut
from autostrada.runner.lines import next_line
from autostrada.runner.memory_limit import MemoryLimit
from autostrada.runner.observer import Observer
from autostrada.runner.processes import TrialProcess
from autostrada.stats.evidence import EndName
from autostrada.store.record import SliceRow
from autostrada.workloads.report import SlicePlan, Window

if TYPE_CHECKING:
    from autostrada.machine.process import Process

Outcome = TypeVar("Outcome")
Line = TypeVar("Line", bound=BaseModel)

TurnTaking = Generator[None, bool | None, Outcome]
"""A trial that yields before each of its turns; see ``in_turn``."""

Ended = tuple[int, Outcome, float]
"""A trial that has ended: its position, its outcome, and the time that it took."""

BEFORE_S = 0.5
"""Time at the end of the warm-up whose cost is compared with that of the slices."""

IDLE_S_MAX = 15.0
"""Time after which connections are used while other trials are started: libraries end
those that were idle for 20 s to 2 minutes."""

CHECKED_S = 0.5
"""Time after which clients are checked that have not opened all connections."""

STILL_S = 0.002
STILL_S_MAX = 0.05
"""A client of a push may answer a ping before its program has received the messages:
its CPU time is read when it has not grown for so long, at the latest after that."""

USED_S = 0.01
"""Length of that use."""

IDLE_SHARE_MAX = 0.01
"""CPU time by time of a process between its turns, above which it is stopped."""


def in_turn(
    groups: Sequence[Sequence[TurnTaking[Outcome]]], order: random.Random
) -> Iterator[Ended[Outcome]]:
    """
    Start trials, and let them go on in turn until all have ended.

    Each round has another order. Starting takes long; meanwhile the trials that have
    started use their connections now and then. Yields the position of each trial as it
    ends, its outcome, and the time in seconds that it took. If one fails, the others
    are ended.

    A further group starts when the one before it has ended, but for the first trial of
    the first group, which takes turns with all groups. Positions count through.
    """
    trials = [trial for group in groups for trial in group]
    running = _Running(trials, order)
    with ExitStack() as stack:
        for trial in trials:
            stack.enter_context(closing(trial))
        first = 0
        for group in groups:
            members = {*range(first, first + len(group))}
            first += len(group)
            yield from running.begin(members)
            # The first trial of all goes on with the next group, if there is one.
            awaited = members - {0} if len(groups) > 1 else members
            while awaited & running.left:
                yield from running.go_round(awaited | {0})


class _Running(Generic[Outcome]):
    """Trials of which some have started, and some have ended."""

    def __init__(
        self, trials: Sequence[TurnTaking[Outcome]], order: random.Random
    ) -> None:
        self._left = dict(enumerate(trials))
        self._order = order
        self._taken_s = dict.fromkeys(self._left, 0.0)
        self._used_at_s: dict[int, float] = {}
        """When those that have started last used their connections."""

    @property
    def left(self) -> Set[int]:
        """The positions of those that have not ended."""
        return self._left.keys()

    def begin(self, positions: Set[int]) -> Iterator[Ended[Outcome]]:
        """Start some; meanwhile those that have started use their connections."""
        for position in self._shuffled(positions):
            idle_since_s = time.monotonic() - IDLE_S_MAX
            for started in [*self._used_at_s]:
                if started in self._left and self._used_at_s[started] < idle_since_s:
                    yield from self._go_on(started, is_only_used=True)
            yield from self._go_on(position)

    def go_round(self, positions: Set[int]) -> Iterator[Ended[Outcome]]:
        """Give each of those that have not ended a turn."""
        for position in self._shuffled(positions & self.left):
            yield from self._go_on(position)

    def _shuffled(self, positions: Set[int]) -> list[int]:
        return self._order.sample(sorted(positions), k=len(positions))

    def _go_on(
        self, position: int, *, is_only_used: bool = False
    ) -> Iterator[Ended[Outcome]]:
        began_s = time.monotonic()
        try:
            self._left[position].send(is_only_used or None)
        except StopIteration as ended:
            del self._left[position]
            took_s = self._taken_s[position] + time.monotonic() - began_s
            yield position, ended.value, took_s
            return
        self._used_at_s[position] = time.monotonic()
        self._taken_s[position] += self._used_at_s[position] - began_s


@dataclass(frozen=True, kw_only=True, slots=True)
class Slices:
    """What a trial exchanged in its turns, at instants of the monotonic clock."""

    counted: tuple[SliceRow, ...] = ()
    before: SliceRow | None = None
    """The end of its warm-up; ``None`` if that was not complete."""

    settling: tuple[SliceRow, ...] = ()
    """The beginning of each turn, before its slice."""

    busy_ns: int = 0
    """Time in which the engine was busy in the counted ones."""

    window: Window | None = None
    """The time from the first slice on, as long as all of them; ``None`` without."""


NO_SLICES = Slices()


class Turns:
    """The turns of a trial whose processes have been started."""

    def __init__(
        self,
        processes: Sequence[TrialProcess],
        plan: SlicePlan,
        observer: Observer,
        limited: Callable[[], AbstractContextManager[MemoryLimit]],
        limit_s: float,
    ) -> None:
        """
        Create the turns of running processes.

        ``limited`` limits their memory in a block. ``limit_s`` is the time that opening
        all connections, or an answer, may take.
        """
        self._processes = processes
        (self._driver,) = (each for each in processes if each.end == plan.driver)
        self._plan = plan
        self._observer = observer
        self._limited = limited
        self._limit_s = limit_s
        self._busy_ns = 0
        self._restless: list[Process] = []
        """The processes that are stopped between their turns."""

    def take(self) -> Generator[None, bool | None, Slices]:
        """
        Open all connections, warm the trial up, and yield before each of its turns.

        If true is sent, the connections are only used.

        Raises:
            ContestantError: a contestant broke its contract.
            EngineError: the engine failed.
        """
        plan = self._plan
        with self._running():
            if not self._await_opened():
                send_document(self._driver.process, {"end": True})
                return NO_SLICES
            if plan.first_messages:
                self._carry_out({"messages": plan.first_messages})
            self._warm_up(plan.warm_up_s - BEFORE_S)
            before = self._exchange(BEFORE_S)
        waits_from_ns, cpu_ns = time.monotonic_ns(), self._cpu_ns_by_process()
        counted: list[SliceRow] = []
        settling: list[SliceRow] = []
        for _ in range(plan.rounds):
            while (yield):
                with self._running():
                    self._exchange(USED_S)
            if not counted:
                self._find_restless(time.monotonic_ns() - waits_from_ns, cpu_ns)
            with self._running():
                settled = self._exchange(plan.settle_s)
                turn = self._exchange(plan.slice_s, counts=True)
            if settled is None or turn is None:
                break
            settling.append(settled)
            counted.append(turn)
        self._resume()
        send_document(self._driver.process, {"end": True})
        return Slices(
            counted=tuple(counted),
            before=before,
            settling=tuple(settling),
            busy_ns=self._busy_ns,
            window=_window(counted),
        )

    def _await_opened(self) -> bool:
        """
        Wait until all connections are open; return whether no client ended before.

        Raises:
            AutostradaError: a process failed, or they were not open in time.
        """
        ends_s = time.monotonic() + 2 * self._limit_s
        while True:
            try:
                left_s = ends_s - time.monotonic()
                self._next_line(Opened, min(CHECKED_S, left_s))
            except TimedOut:
                if left_s <= CHECKED_S:
                    raise
                clients = (each for each in self._processes if each.end == "client")
                if any(each.process.status() is not None for each in clients):
                    return False
            else:
                return True

    def _warm_up(self, seconds: float) -> None:
        """
        Exchange messages for some time.

        A push takes less time than planned as long as its client becomes faster.
        """
        ends_s = time.monotonic() + seconds
        while (left_s := ends_s - time.monotonic()) > self._plan.settle_s:
            if self._exchange(left_s) is None:
                return

    @contextmanager
    def _running(self) -> Iterator[None]:
        """Let the processes run in the block, within their limits and observed."""
        self._resume()
        with self._limited() as memory:
            try:
                yield
            except AutostradaError as error:
                raise memory.failure or error from error
        if memory.failure:
            raise memory.failure
        self._observer.pause()
        for process in self._restless:
            process.stop()

    def _resume(self) -> None:
        """Continue all processes that are stopped between the turns."""
        for process in self._restless:
            process.resume()
        self._observer.resume()

    def _exchange(self, seconds: float, *, counts: bool = False) -> SliceRow | None:
        """Exchange messages for some time; see ``_carry_out``."""
        return self._carry_out({"seconds": seconds}, counts=counts)

    def _carry_out(
        self, length: Mapping[str, float], *, counts: bool = False
    ) -> SliceRow | None:
        """
        Carry out a slice of some length; return what was exchanged.

        Returns ``None`` if that was not complete: the engine's result has the reason.

        Raises:
            AutostradaError: a process failed, or gave no answer in time.
        """
        cpu_ns = self._cpu_ns()
        command = {"slice": {**length, "counts": counts}}
        send_document(self._driver.process, command)
        limit_s = length.get("seconds", 0) + self._plan.drain_s + self._limit_s
        line = self._next_line(Slice, limit_s)
        if not line.complete:
            return None
        if counts:
            self._busy_ns += line.busy_ns
        used_ns = {end: ns - cpu_ns[end] for end, ns in self._still_cpu_ns().items()}
        return SliceRow(
            since_start_ns=line.began_ns,
            duration_ns=line.ended_ns - line.began_ns,
            messages=line.messages,
            server_cpu_ns=used_ns.get("server"),
            client_cpu_ns=used_ns.get("client"),
        )

    def _next_line(self, event: type[Line], limit_s: float) -> Line:
        """Return the engine's next line of a type; skip all others."""
        try:
            line = next_line(self._driver.process, time.monotonic() + limit_s, event)
        except ContestantError as error:
            raise self._driver.fault(error) from error
        for process in self._processes:
            if not process.instance.has_result:
                process.check()
        return line

    def _cpu_ns(self) -> Mapping[EndName, int]:
        """Return the CPU time of both ends so far; without those on other hosts."""
        found: dict[EndName, int] = {}
        for process, cpu_ns in self._cpu_ns_by_process():
            found[process.end] = found.get(process.end, 0) + cpu_ns
        return found

    def _still_cpu_ns(self) -> Mapping[EndName, int]:
        """Return the CPU time of both ends when the client of a push has ended."""
        now_ns = self._cpu_ns()
        if self._plan.first_messages is None:
            return now_ns
        ends_s = time.monotonic() + STILL_S_MAX
        before_ns: int | None = None
        while now_ns.get("client") != before_ns and time.monotonic() < ends_s:
            before_ns = now_ns.get("client")
            time.sleep(STILL_S)
            now_ns = self._cpu_ns()
        return now_ns

    def _cpu_ns_by_process(self) -> list[tuple[TrialProcess, int]]:
        return [(each, each.local.cpu_ns()) for each in self._processes if each.local]

    def _find_restless(
        self, waited_ns: int, before: Sequence[tuple[TrialProcess, int]]
    ) -> None:
        """Find the processes that used a core while they had nothing to do."""
        for (process, now_ns), (_, before_ns) in zip(
            self._cpu_ns_by_process(), before, strict=True
        ):
            if process.local and now_ns - before_ns > IDLE_SHARE_MAX * waited_ns:
                self._restless.append(process.local)


def _window(slices: Sequence[SliceRow]) -> Window | None:
    """Return the window that begins with the first slice; ``None`` without any."""
    if not slices:
        return None
    duration_ns = sum(each.duration_ns for each in slices)
    return Window(start_ns=slices[0].since_start_ns, duration_ns=duration_ns)
