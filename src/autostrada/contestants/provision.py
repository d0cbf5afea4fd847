"""Builds several contestants in parallel."""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

from autostrada.contestants.build import Builder, Built
from autostrada.contestants.contestant import Contestant
from autostrada.errors import ContestantError
from autostrada.machine.process import end_children


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
    jobs: int,
    begin: Callable[[str], None],
) -> Iterator[Provision]:
    """
    Build contestants, ``jobs`` in parallel; yield each outcome as it becomes available.

    ``begin`` is called with the name of each build that begins, in its thread. Closing
    the iterator ends all builds.

    Raises:
        UsageError: the folder for builds is not writable.
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

    with ThreadPoolExecutor(jobs) as pool:
        try:
            tasks = [pool.submit(make_ready, each) for each in by_build.values()]
            for task in as_completed(tasks):
                yield task.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            end_children()
            raise
