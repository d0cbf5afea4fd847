"""``autostrada new``: create a new contestant."""

from typing import Annotated

from autostrada.cli.options import Contestants, argument


def new(
    name: Annotated[str, argument("Name of the folder.", "LANGUAGE-LIBRARY")],
    contestants: Contestants = None,
) -> None:
    """
    Create the folder of a new contestant.

    The folder contains a receiving client and an echo server, with markers at the
    places where your library is called.

    \b
    Example: autostrada new go-gobwas --contestants ~/contestants
    """  # noqa: D301
    from autostrada.contestants.template import new

    new(name, contestants)
