"""``autostrada load``: the engine loads a server of your own."""

import os
import sys

import typer


def load(context: typer.Context) -> None:
    """Load a server of your own."""
    from autostrada.engine.process import find_engine

    sys.stdout.flush()
    # The engine has the options, and names itself by this argument in its help.
    os.execv(find_engine(), ["autostrada", "load", *context.args])


OTHERS_PASSED_ON = {"ignore_unknown_options": True, "allow_extra_args": True}
"""Settings of a command that passes the options on that are not its own."""

PASSED_ON = {**OTHERS_PASSED_ON, "help_option_names": []}
"""Settings of a command that passes all arguments on, ``--help`` included."""
