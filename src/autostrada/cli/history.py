"""``autostrada history``: earlier loads, and whether two names differ."""

import sys
from typing import Annotated

import typer


def history(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="Show the loads of this name.",
            show_default="all names",
        ),
    ] = None,
    other: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="Compare the loads of this name with those of the first.",
            show_default="no comparison",
        ),
    ] = None,
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            help="With two names: exit with 99 if a metric has changed by so much, for "
            "example 'p99 > +5%' (repeatable).",
            metavar="CONDITION",
            show_default="none",
        ),
    ] = None,
) -> None:
    """
    Show earlier loads, or compare those of two names.

    A change is told from chance by three loads of each name, better by six. Load in
    turn, before and after, so that a machine that becomes slower affects both.

    \b
    Example: autostrada history before after --fail-if 'rate < -5%'
    """  # noqa: D301
    from rich.console import Console

    from autostrada.errors import UsageError
    from autostrada.report import history as shown
    from autostrada.report.load_gate import failure, parse_change
    from autostrada.store.history import history_path, read_history

    conditions = [parse_change(text) for text in fail_if or ()]
    if conditions and other is None:
        raise UsageError("--fail-if compares two names: add the second one")
    path = history_path()
    loads, others = read_history(path)
    if others:
        sys.stderr.write(f"{path}: {others} lines are no loads, and are left out\n")
    if not loads:
        raise UsageError("the history is empty: autostrada load adds to it")
    groups = [
        [load for load in loads if load.name == wanted] for wanted in (name, other)
    ]
    for each, group in zip((name, other), groups, strict=True):
        if each and not group:
            known = ", ".join(dict.fromkeys(load.name for load in loads))
            raise UsageError(f"no load is called {each!r}: choose one of {known}")
    if other:
        asked = {shown.load_asked(load) for group in groups for load in group}
        if len(asked) > 1:
            raise UsageError(
                f"these names have different loads ({'; '.join(sorted(asked))}): give "
                "each load a --name of its own"
            )
        parts: list[object] = [*shown.comparison(*groups), shown.CHANCE_NOTE]
    else:
        parts = [*(shown.loads_of_name(groups[0]) if name else shown.names(loads))]
    console = Console()
    for part in parts:
        console.print(part)
    failures = [failure(condition, shown.compared(*groups)) for condition in conditions]
    for text in filter(None, failures):
        sys.stderr.write(f"autostrada: failed: {text}\n")
    raise typer.Exit(99 if any(failures) else 0)
