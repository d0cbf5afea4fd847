"""``autostrada build``: build contestants."""

from typing import Annotated

import typer

from autostrada.cli.options import Contestants, Jobs, Names, Quick, option

Experiment = Annotated[
    str | None,
    option("Build the contestants of this experiment.", "EXPERIMENT", "none"),
]


def build(
    names: Names = None,
    experiment: Experiment = None,
    quick: Quick = False,
    jobs: Jobs = None,
    contestants: Contestants = None,
) -> None:
    """
    Build contestants.

    Contestants need the network only to be built, not to run.

    \b
    Example: autostrada build go-gws javascript-ws
    """  # noqa: D301
    from autostrada.contestants.command import build

    status = build(names or (), experiment, contestants, is_quick=quick, jobs=jobs)
    raise typer.Exit(status)
