"""``autostrada verify``: test contestants against the contract."""

from typing import Annotated

import typer

from autostrada.cli.options import Contestants, Names


def verify(
    names: Names = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Number of parallel tests.",
            metavar="NUMBER",
            show_default="twice the number of cores",
        ),
    ] = None,
    contestants: Contestants = None,
) -> None:
    """
    Test contestants against the contract (docs/contract.md).

    \b
    Example: autostrada verify go-gobwas --contestants ~/contestants
    """  # noqa: D301
    from autostrada.contestants.verify import verify

    raise typer.Exit(verify(names or (), contestants, jobs))
