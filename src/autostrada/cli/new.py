"""``autostrada new``: start a contestant of your own."""

from typing import Annotated

import typer

from autostrada.cli.options import Contestants


def new(
    name: Annotated[
        str,
        typer.Argument(
            metavar="LANGUAGE-LIBRARY", help="Name of its folder.", show_default=False
        ),
    ],
    contestants: Contestants = None,
) -> None:
    """
    Create the folder of a contestant of your own.

    It has a client that receives and a server that echoes, in which the places for
    the calls of your library are marked.

    \b
    Example: autostrada new go-gobwas --contestants ~/contestants
    """  # noqa: D301
    from autostrada.contestants.template import new

    new(name, contestants)
