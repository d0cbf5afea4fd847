"""``autostrada load``: the engine loads a server of your own."""

import os
import sys
from datetime import datetime
from pathlib import Path

import typer


def load(context: typer.Context) -> None:
    """Load a server of your own."""
    from autostrada.engine.process import find_engine
    from autostrada.runner.load_options import expanded, taken

    sys.stdout.flush()
    page_path, arguments = taken("--html", expanded(context.args))
    if page_path is None:
        # The engine has the options, and names itself by this argument in its help.
        os.execv(find_engine(), ["autostrada", "load", *arguments])
    from autostrada.errors import UsageError
    from autostrada.report.load_page import load_page
    from autostrada.runner import load as loading

    path, at = Path(page_path), datetime.now().astimezone()
    if not os.access(path.parent, os.W_OK) or path.is_dir():
        raise UsageError(f"--html: {path} cannot be written: choose another file")
    status, document = loading.load(find_engine(), arguments)
    if document:
        path.write_text(load_page(document, at), encoding="utf-8")
    raise typer.Exit(status)


OTHERS_PASSED_ON = {"ignore_unknown_options": True, "allow_extra_args": True}
"""Settings of a command that passes the options on that are not its own."""

PASSED_ON = {**OTHERS_PASSED_ON, "help_option_names": []}
"""Settings of a command that passes all arguments on, ``--help`` included."""
