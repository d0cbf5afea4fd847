"""Builds several contestants in parallel."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import TypeVar

from autostrada.contestants.build import Builder, Built
from autostrada.contestants.contestant import Contestant
from autostrada.errors import ContestantError
from autostrada.machine.orphans import end_children

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True, slots=True)
class Provision:
    """The outcome of a build; contestants with the same build share it."""

    contestant: Contestant
    outcome: Built | ContestantError
    is_new: bool
    """Whether a build was run, because there was none of the same sources."""

    taken_s: float
    """Duration in seconds."""


def provision(
    contestants: Iterable[Contestant],
    builder: Builder,
    *,
    jobs: int | None = None,
    begin: Callable[[str], None],
) -> Iterator[Provision]:
    """
    Build contestants in parallel; yield each outcome as it becomes available.

    ``jobs`` and the end of builds are as in ``in_parallel``. ``begin`` is called with
    the name of each build that begins, in its thread.
    """
    by_build = {each.build_name: each for each in contestants}

    def make_ready(contestant: Contestant) -> Provision:
        began_s = time.monotonic()
        begun: list[str] = []

        def announce(_: str) -> None:
            begun.append(contestant.build_name)
            begin(contestant.build_name)

        outcome: Built | ContestantError
        try:
            outcome = builder.build(contestant, announce=announce)
        except ContestantError as error:
            outcome = error
        return Provision(
            contestant=contestant,
            outcome=outcome,
            is_new=bool(begun),
            taken_s=time.monotonic() - began_s,
        )

    yield from in_parallel(make_ready, by_build.values(), jobs)


def in_parallel(
    work: Callable[[Item], Result], items: Iterable[Item], jobs: int | None
) -> Iterator[Result]:
    """
    Yield the result of work on each item as it becomes available.

    ``jobs`` are done at a time; with ``None``, one per core. Closing the iterator ends
    the processes that work has started.
    """
    with ThreadPoolExecutor(jobs or len(os.sched_getaffinity(0))) as pool:
        try:
            tasks = [pool.submit(work, item) for item in items]
            for task in as_completed(tasks):
                yield task.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            end_children()
            raise
