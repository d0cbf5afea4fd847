"""What ``autostrada plan`` does: prints each cell as commands to paste into a shell."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from autostrada.contestants.build import Workshop
from autostrada.contestants.catalog import choose, find_catalog
from autostrada.contestants.contestant import Contestant
from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.experiment.override import as_run
from autostrada.experiment.workload import Workload
from autostrada.machine.certificates import certificates_in
from autostrada.machine.host import this_host
from autostrada.runner.engine import find_engine
from autostrada.runner.recipe.recipe import recipe
from autostrada.runner.search import search_of, source_of
from autostrada.runner.trial.cast import Cast, Course, Programs, cast_of, programs_of

CERTIFICATES = Path("results/tls")
"""Where those lie of trials by hand."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """Which cells of which experiment, as the user has asked for them."""

    experiment: str
    only: tuple[str, ...] = ()
    is_quick: bool = False
    overrides: tuple[str, ...] = ()
    contestants: Path | None = None


def print_plan(choice: Choice) -> None:
    """
    Print what makes contestants and certificates ready, then each cell's commands.

    Raises:
        UsageError: there is no such experiment, or it cannot be run as asked.
    """
    for block in blocks(choice):
        print(block, end="\n\n")


def blocks(choice: Choice) -> Iterator[str]:
    """
    Yield what is to be pasted, cell by cell, with a comment before each command.

    Raises:
        UsageError: there is no such experiment, or it cannot be run as asked.
    """
    catalog = find_catalog(choice.contestants)
    contestants = catalog.contestants()
    found = catalog.experiment(choice.experiment).experiment
    experiment = as_run(found, is_quick=choice.is_quick, overrides=choice.overrides)
    names = choose(choice.only or experiment.contestants, contestants, experiment)
    chosen = [contestants[name] for name in names]
    folder = CERTIFICATES.resolve()
    course = Course(
        experiment=experiment,
        engine=find_engine(),
        host=this_host(wants_apart=experiment.cores == "apart"),
        certificates=certificates_in(folder),
    )
    workshop = Workshop.of(catalog)
    programs: dict[str, Programs] = {REFERENCE: {}}
    for each in chosen:
        programs[each.name] = programs_of(each, workshop.folder(each))
    if chosen:
        yield f"# once: builds what is not built yet\n{_building(chosen, choice)}"
    if experiment.has_tls:
        made = _autostrada("certificate", str(folder))
        yield f"# once: makes what servers show, and whom clients trust\n{made}"
    points = experiment.points()
    for cell in experiment.chosen_cells(names):
        cast = cast_of(cell, programs)
        if cast.can_meet:
            yield _block(cell, course, _at_first(points[cell.workload]), cast)


def _block(cell: Cell, course: Course, workload: Workload, cast: Cast) -> str:
    """Return a cell's commands, and where they are to be pasted."""
    made = recipe(course, workload, cast)
    title = f"# {workload.name}: {cell.server} serves {cell.client}"
    if source := source_of(workload):
        name = workload.name.partition(" ")[0]
        title += (
            f"\n# a run has as many connections as {source} finds: here "
            f"{name}.connections, which --set can make another"
        )
    return "\n".join(
        [
            title,
            "# servers, in a terminal of their own: Ctrl-C ends them",
            made.servers,
            "# clients, in another one, as soon as servers listen",
            made.clients,
        ]
    )


def _at_first(workload: Workload) -> Workload:
    """Return a workload at the first value that is tried, where it is searched."""
    search = search_of(workload)
    return workload.at({search.parameter: search.first}) if search else workload


def _building(chosen: Sequence[Contestant], choice: Choice) -> str:
    folders = dict.fromkeys(each.folder.name for each in chosen)
    further = choice.contestants
    more = ["--contestants", str(further.resolve())] if further else []
    return _autostrada("build", *folders, *more)


def _autostrada(*words: str) -> str:
    return shlex.join([str(Path(sys.executable).with_name("autostrada")), *words])
