"""``autostrada lock``: write the lock file of a contestant."""

from pathlib import Path
from typing import Annotated

from autostrada.cli.options import argument
from autostrada.cli.output import print_line


def lock(
    folder: Annotated[
        Path,
        argument(
            "Folder of a contestant, or name of a contestant (autostrada list).",
            "FOLDER",
        ),
    ],
) -> None:
    """
    Lock the versions that a contestant depends on.

    The lock file depends on the language, for example go.sum, or requirements.lock for
    requirements.in. The command that writes it is in kits/<language>/kit.toml.

    \b
    Example: autostrada lock mine/go-mylibrary
    """  # noqa: D301
    from autostrada.contestants.lock import lock

    for path in lock(folder):
        print_line(f"locked: {path}")
