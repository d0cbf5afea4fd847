"""``autostrada build``: build contestants."""

from typing import Annotated

import typer

from autostrada.cli.options import Contestants, Names

Jobs = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Builds at a time.",
        metavar="NUMBER",
        show_default="the number of cores",
    ),
]


def build(
    names: Names = None, jobs: Jobs = None, contestants: Contestants = None
) -> None:
    """
    Build contestants.

    Once built, contestants run without a network.

    \b
    Example: autostrada build go-gws javascript-ws
    """  # noqa: D301
    from autostrada.contestants.command import build

    raise typer.Exit(build(names or (), contestants, jobs))
