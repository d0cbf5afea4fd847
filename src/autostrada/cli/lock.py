"""``autostrada lock``: make the lock file of a contestant."""

from pathlib import Path
from typing import Annotated

import typer

from autostrada.cli.output import say


def lock(
    folder: Annotated[
        Path,
        typer.Argument(
            help="Folder of a contestant, anywhere, or the name of one of ours.",
            metavar="FOLDER",
            show_default=False,
        ),
    ],
) -> None:
    """
    Lock the versions that a contestant depends on.

    The lock file is that of the language, for example go.sum, or requirements.txt
    of requirements.in; its command is in kits/<language>/kit.toml.

    \b
    Example: autostrada lock mine/go-mylibrary
    """  # noqa: D301
    from autostrada.contestants.lock import lock

    for path in lock(folder):
        say(f"locked: {path}")
