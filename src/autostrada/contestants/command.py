"""The command ``autostrada build``: builds contestants and shows the outcomes."""

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from rich.console import Console
from rich.text import Text

from autostrada.contestants.build import LOG, Builder, Built
from autostrada.contestants.catalog import Catalog, choose_builds, find_catalog
from autostrada.contestants.contestant import Contestant
from autostrada.contestants.provision import Provision, provision
from autostrada.contestants.status_line import CountLine
from autostrada.errors import NotInstalled

NAME_WIDTH = 26


def line(provision: Provision) -> Text:
    """Return the outcome for one contestant; for a failure with the end of stderr."""
    name = f"{provision.contestant.build_name:{NAME_WIDTH}} "
    outcome = provision.outcome
    if isinstance(outcome, Built):
        word, style = ("built", "green") if provision.is_new else ("ready", "dim")
        taken = f"  {provision.taken_s:.0f} s" if provision.is_new else ""
        return Text.assemble((f"{word:8}", style), name, outcome.version, taken)
    if isinstance(outcome, NotInstalled):
        return Text.assemble(("missing ", "yellow"), name, str(outcome))
    tail = "".join(f"\n    {each}" for each in outcome.stderr_tail.splitlines())
    return Text.assemble(("failed  ", "red"), name, str(outcome), tail)


def build(
    names: Sequence[str] = (),
    experiment: str | None = None,
    extra_contestants: Path | None = None,
    *,
    is_quick: bool = False,
    jobs: int | None = None,
) -> int:
    """
    Build contestants; return the exit status.

    They are those with these names, and those of an experiment, or with ``is_quick`` of
    its quick run; without both, all. ``jobs`` is the number of parallel builds;
    ``None`` for one per core.

    The status is 1 if a build failed, or if contestants were given by name and a
    requirement of one is not installed.
    """
    catalog = find_catalog(extra_contestants)
    chosen_names = [*names]
    if experiment is not None:
        whole = catalog.experiment(experiment).experiment
        chosen_names += (whole.quick_version() if is_quick else whole).contestants
    chosen = choose_builds(chosen_names, catalog.contestants())
    provisions = make_ready(catalog, chosen, jobs, Console())
    missing = [p for p in provisions if isinstance(p.outcome, NotInstalled)]
    ready = [p for p in provisions if isinstance(p.outcome, Built)]
    failed = len(provisions) - len(missing) - len(ready)
    summary = f"{len(ready)} built"
    if failed:
        summary += f", {failed} failed"
    if missing:
        names_missing = ", ".join(each.contestant.build_name for each in missing)
        summary += f", {len(missing)} not installed: {names_missing}"
        summary += " (autostrada doctor --install)"
    print(summary)
    return 1 if failed or (missing and names) else 0


def make_ready(
    catalog: Catalog,
    contestants: Sequence[Contestant],
    jobs: int | None,
    console: Console,
) -> list[Provision]:
    """
    Build contestants in parallel, and show the outcome of each build.

    ``jobs`` is the number of parallel builds; ``None`` for one per core.
    """
    builder = Builder.of(catalog)
    builds = {each.build_name: each for each in contestants}
    building: list[str] = []
    provisions = []
    with closing(CountLine(console, len(builds), "built")) as status:

        def show() -> None:
            status.show_part(f"building {', '.join(building)}" if building else "")

        def begin(build: str) -> None:
            building.append(build)
            show()

        for made in provision(builds.values(), builder, jobs=jobs, begin=begin):
            if made.contestant.build_name in building:
                building.remove(made.contestant.build_name)
            status.finished += 1
            _print_outcome(made, console, builder.builds)
            show()
            provisions.append(made)
    return provisions


def _print_outcome(provision: Provision, console: Console, builds: Path) -> None:
    """Print a line with the outcome; on a terminal only that of a failed build."""
    build = provision.contestant.build_name
    if not console.is_terminal:
        console.print(line(provision), soft_wrap=True)
    elif not isinstance(provision.outcome, Built | NotInstalled):
        log = os.path.relpath(builds / build / LOG)
        failed = Text.assemble(("failed  ", "red"), f"{build}, see {log}")
        console.print(failed, soft_wrap=True)
