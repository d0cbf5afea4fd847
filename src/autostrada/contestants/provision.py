"""Many contestants made ready at once, on all cores."""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

from autostrada.contestants.build import Built, Workshop
from autostrada.contestants.contestant import Contestant
from autostrada.errors import ContestantError
from autostrada.machine.process import end_children


@dataclass(frozen=True, kw_only=True, slots=True)
class Provision:
    """What came of one contestant, and of its variants, which share its build."""

    contestant: Contestant
    outcome: Built | ContestantError
    is_new: bool
    """It was built now, not earlier from the same sources."""

    taken_s: float


def provision(
    contestants: Iterable[Contestant],
    workshop: Workshop,
    *,
    jobs: int,
    begin: Callable[[str], None],
) -> Iterator[Provision]:
    """
    Build contestants, so many at once; yield each as soon as something came of it.

    ``begin`` is told the name of each folder whose build begins. Whoever stops
    listening ends the builds.

    Raises:
        UsageError: the folder for builds cannot be written.
    """
    by_folder = {each.folder: each for each in contestants}

    def make_ready(contestant: Contestant) -> Provision:
        began_s = time.monotonic()
        begun: list[str] = []

        def announce(_: str) -> None:
            begun.append(contestant.folder.name)
            begin(contestant.folder.name)

        outcome: Built | ContestantError
        try:
            outcome = workshop.build(contestant, announce=announce)
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
            tasks = [pool.submit(make_ready, each) for each in by_folder.values()]
            for task in as_completed(tasks):
                yield task.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            end_children()
            raise
