"""``autostrada verify``: test contestants against the contract."""

from typing import Annotated

import typer

from autostrada.cli.options import Contestants, Names, option


def verify(
    names: Names = None,
    jobs: Annotated[
        int | None,
        option(
            "Number of parallel tests.", "NUMBER", "twice the number of cores", min=1
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
