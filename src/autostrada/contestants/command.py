"""The command ``autostrada build``: builds contestants and shows the outcomes."""

import os
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from autostrada.contestants.build import LOG, Builder, Built
from autostrada.contestants.catalog import Catalog, choose_builds, find_catalog
from autostrada.contestants.contestant import Contestant
from autostrada.contestants.provision import Provision, provision
from autostrada.contestants.status_line import StatusLine, bar
from autostrada.errors import NotInstalled

NAME_WIDTH = 26


class BuildProgress:
    """Shows a bar on a terminal, and prints a line per contestant elsewhere."""

    def __init__(self, console: Console, total: int, builds: Path) -> None:
        self._console = console
        self._builds = builds
        self._total = total
        self._building: list[str] = []
        self._finished = 0
        self._status = StatusLine(console)

    def begin(self, build: str) -> None:
        """Show that a build begins."""
        self._building.append(build)
        self._show()

    def finish(self, provision: Provision) -> None:
        """Print a line with the outcome; on a terminal only that of a failed build."""
        build = provision.contestant.build_name
        if build in self._building:
            self._building.remove(build)
        self._finished += 1
        if not self._console.is_terminal:
            self._console.print(line(provision), soft_wrap=True)
        elif not isinstance(provision.outcome, Built | NotInstalled):
            log = os.path.relpath(self._builds / build / LOG)
            failed = Text.assemble(("failed  ", "red"), f"{build}, see {log}")
            self._console.print(failed, soft_wrap=True)
        self._show()

    def close(self) -> None:
        """Remove the bar."""
        self._status.close()

    def _show(self) -> None:
        shown = bar(self._finished, self._total)
        text = f"{shown} built {self._finished} of {self._total}"
        if self._building:
            text += f" · building {', '.join(self._building)}"
        self._status.show(text)


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

    Raises:
        UsageError: a contestant or the experiment does not exist, or the folder for
            builds is not writable.
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
    progress = BuildProgress(console, len(builds), builder.builds)
    provisions = []
    try:
        for made in provision(
            builds.values(), builder, jobs=jobs, begin=progress.begin
        ):
            progress.finish(made)
            provisions.append(made)
    finally:
        progress.close()
    return provisions
