"""``autostrada load``: the engine loads a server of your own."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import typer

from autostrada.errors import UsageError

if TYPE_CHECKING:
    from autostrada.cli.load_options import Outputs


def load(context: typer.Context) -> None:
    """Load a server of your own."""
    from autostrada.cli.load_options import (
        divided_among,
        expanded,
        outputs,
        wanted_hosts,
    )
    from autostrada.engine.process import find_engine
    from autostrada.runner import load as loading

    sys.stdout.flush()
    wanted, arguments = outputs(expanded(context.args))
    hosts, arguments = wanted_hosts(arguments)
    if wanted.is_empty and hosts is None:
        os.execv(find_engine(), [*loading.SHOWN_NAME, *arguments])
    at = datetime.now().astimezone()
    merged = None
    if hosts:
        with divided_among(hosts, is_plain="--plain" in arguments) as divided:
            merged = divided(arguments)
    status, document = loading.load(find_engine(), arguments, merged)
    if document:
        kept = [_is_done(write) for write in _outputs(document, wanted, at)]
        status = status if all(kept) else status or 1
        # A load that nobody has asked to save is as good without a history.
        if wanted.is_saved and document["not_judged"] is None:
            _is_done(lambda: _add_to_history(document, wanted, at))
    raise typer.Exit(status)


def _is_done(write: Callable[[], None]) -> bool:
    try:
        write()
    except UsageError as error:
        sys.stderr.write(f"autostrada: {error}\n")
        return False
    return True


def _outputs(
    document: Mapping[str, Any], wanted: "Outputs", at: datetime
) -> Iterator[Callable[[], None]]:
    """Yield what writes each output, so that none is lost with another one."""
    from autostrada.store import history

    saved = history.saved(document, wanted.name, at)
    if page := wanted.page:
        from autostrada.report.load_page import write_load_page

        yield lambda: write_load_page(document, at, page)
    if parquet := wanted.parquet:
        from autostrada.store.load_file import write_load

        yield lambda: write_load(saved, parquet)
    if otlp_url := wanted.otlp_url:
        from autostrada.report.otlp import send

        yield lambda: send(saved, otlp_url)


def _add_to_history(
    document: Mapping[str, Any], wanted: "Outputs", at: datetime
) -> None:
    """Add the load to the history, and print what earlier ones were."""
    from autostrada.report.history import beside
    from autostrada.store import history

    if document["connections"]:
        saved, path = history.saved(document, wanted.name, at), history.history_path()
        earlier, _ = history.read_history(path)
        history.append(saved, path)
        sys.stderr.write(f"{beside(saved, earlier)}\n")


OTHERS_PASSED_ON = {"ignore_unknown_options": True, "allow_extra_args": True}
"""Settings of a command that passes the options on that are not its own."""

PASSED_ON = {**OTHERS_PASSED_ON, "help_option_names": []}
"""Settings of a command that passes all arguments on, ``--help`` included."""
