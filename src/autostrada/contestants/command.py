"""What ``autostrada build`` does: makes contestants ready, and says how it went."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.text import Text

from autostrada.contestants.build import Built, Workshop
from autostrada.contestants.catalog import Catalog, choose_folders, find_catalog
from autostrada.contestants.contestant import Contestant
from autostrada.contestants.provision import Provision, provision
from autostrada.errors import NotInstalled

NAME_WIDTH = 26


class BuildProgress:
    """A line for each contestant, and on a terminal one for what is being built."""

    def __init__(self, console: Console, total: int) -> None:
        self._console = console
        self._total = total
        self._building: list[str] = []
        self._finished = 0
        # It is drawn when something happens, not by a thread that wakes up meanwhile.
        self._live = (
            Live(console=console, auto_refresh=False, transient=True)
            if console.is_terminal
            else None
        )
        if self._live:
            self._live.start()

    def begin(self, folder: str) -> None:
        """A build begins."""
        self._building.append(folder)
        self._show()

    def finish(self, provision: Provision) -> None:
        """Leave a line that says what came of it."""
        folder = provision.contestant.folder.name
        if folder in self._building:
            self._building.remove(folder)
        self._finished += 1
        self._console.print(line(provision), soft_wrap=True)
        self._show()

    def close(self) -> None:
        """Take the line at the bottom away."""
        if self._live:
            self._live.stop()

    def _show(self) -> None:
        if self._live:
            building = ", ".join(self._building) or "nothing"
            text = f"{self._finished}/{self._total} · building {building} …"
            shown = Text(text, no_wrap=True, overflow="ellipsis")
            self._live.update(shown, refresh=True)


def line(provision: Provision) -> Text:
    """Return what came of one contestant, in a line; of a failure, its last words."""
    name = f"{provision.contestant.folder.name:{NAME_WIDTH}} "
    outcome = provision.outcome
    if isinstance(outcome, Built):
        word, style = ("built", "green") if provision.is_new else ("ready", "dim")
        taken = f"  {provision.taken_s:.0f} s" if provision.is_new else ""
        return Text.assemble((f"{word:8}", style), name, outcome.version, taken)
    if isinstance(outcome, NotInstalled):
        return Text.assemble(("missing ", "yellow"), name, str(outcome))
    tail = "".join(f"\n    {each}" for each in outcome.stderr_tail.splitlines())
    return Text.assemble(("failed  ", "red"), name, str(outcome), tail)


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """What is to be built."""

    names: tuple[str, ...] = ()
    """Contestants; without names and an experiment all."""

    experiment: str | None = None
    """Whose contestants are built as well."""

    is_quick: bool = False
    """Whether these are only those of its quick run."""

    contestants: Path | None = None
    """A further folder of contestants."""

    jobs: int | None = None
    """How many builds at a time; ``None``: one for each core."""


def build(choice: Choice) -> int:
    """
    Build contestants; return the exit status.

    It is 1 where a build failed, or one that was asked for by name lacks something.

    Raises:
        UsageError: there is no such contestant or experiment, or builds cannot be
            written.
    """
    catalog = find_catalog(choice.contestants)
    names = [*choice.names, *_of_experiment(choice, catalog)]
    chosen = choose_folders(names, catalog.contestants())
    provisions = make_ready(catalog, chosen, choice.jobs, Console())
    missing = [p for p in provisions if isinstance(p.outcome, NotInstalled)]
    ready = [p for p in provisions if isinstance(p.outcome, Built)]
    failed = len(provisions) - len(missing) - len(ready)
    print(f"{len(ready)} ready, {len(missing)} missing, {failed} failed")
    if missing:
        print("what is missing can be installed: autostrada doctor --install")
    return 1 if failed or (missing and choice.names) else 0


def _of_experiment(choice: Choice, catalog: Catalog) -> tuple[str, ...]:
    if choice.experiment is None:
        return ()
    experiment = catalog.experiment(choice.experiment).experiment
    return (experiment.quickly() if choice.is_quick else experiment).contestants


def make_ready(
    catalog: Catalog,
    contestants: Sequence[Contestant],
    jobs: int | None,
    console: Console,
) -> list[Provision]:
    """Build contestants on all cores, or so many at once; print what came of each."""
    workshop = Workshop.of(catalog)
    progress = BuildProgress(console, len(contestants))
    provisions = []
    try:
        for each in provision(
            contestants,
            workshop,
            jobs=jobs or len(os.sched_getaffinity(0)),
            begin=progress.begin,
        ):
            progress.finish(each)
            provisions.append(each)
    finally:
        progress.close()
    return provisions
