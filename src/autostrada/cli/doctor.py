"""``autostrada doctor``: show what this machine can run, and what is missing."""

from typing import Annotated

import typer

from autostrada.cli.options import Contestants


def doctor(
    installs: Annotated[
        bool,
        typer.Option("--install", help="Install what is missing (apt, as root)."),
    ] = False,
    contestants: Contestants = None,
) -> None:
    """
    Show what this machine can run, and what is missing.

    Exits with 1 if anything is missing.

    \b
    Example: autostrada doctor --install
    """  # noqa: D301
    from autostrada.contestants.doctor import examine_machine

    has_all = examine_machine(contestants, installs=installs)
    raise typer.Exit(0 if has_all else 1)
