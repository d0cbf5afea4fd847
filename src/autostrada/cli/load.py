"""``autostrada load``: the engine loads a server of your own."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import typer

from autostrada.cli.load_options import (
    Config,
    HostCount,
    Hosts,
    Name,
    NoSave,
    OtlpUrl,
    Page,
    Parquet,
    check_hosts,
    divided_among,
    engine_arguments,
)
from autostrada.errors import UsageError

if TYPE_CHECKING:
    from autostrada.store.history import SavedLoad

_WITHOUT_RESULT = {"--plan", "--print-plan"}
"""Options with which the engine does something else than to report a load."""


def load(
    context: typer.Context,
    page: Page = None,
    parquet: Parquet = None,
    otlp_url: OtlpUrl = None,
    name: Name = None,
    no_save: NoSave = False,
    config: Config = None,
    hosts: Hosts = None,
    host_count: HostCount = None,
) -> None:
    """Load a server of your own."""
    from autostrada.engine.process import find_engine
    from autostrada.runner import load as loading

    sys.stdout.flush()
    arguments = engine_arguments(context)
    check_hosts(hosts, host_count, arguments)
    names = {word.partition("=")[0] for word in arguments}
    is_saved = not no_save and names.isdisjoint(_WITHOUT_RESULT)
    if not (is_saved or page or parquet or otlp_url or hosts):
        os.execv(find_engine(), [*loading.SHOWN_NAME, *arguments])
    at = datetime.now().astimezone()
    merged = None
    if hosts:
        is_plain = "--plain" in arguments
        with divided_among(hosts, host_count, is_plain=is_plain) as divided:
            merged = divided(arguments)
    status, report = loading.load(find_engine(), arguments, merged)
    if report:
        from autostrada.store.history import saved

        document = report.model_dump(exclude_unset=True)
        load = saved(document, name, at)
        outputs = _outputs(document, load, page, parquet, otlp_url)
        written = [_is_done(write) for write in outputs]
        status = status if all(written) else status or 1
        is_whole = not (
            report.not_judged or report.nothing_measured or report.incomplete
        )
        # A load that nobody has asked to save is as good without a history.
        if is_saved and is_whole:
            _is_done(lambda: _add_to_history(load))
    raise typer.Exit(status)


def _is_done(write: Callable[[], None]) -> bool:
    try:
        write()
    except UsageError as error:
        sys.stderr.write(f"autostrada: {error}\n")
        return False
    return True


def _outputs(
    document: Mapping[str, Any],
    load: "SavedLoad",
    page: Page,
    parquet: Parquet,
    otlp_url: OtlpUrl,
) -> Iterator[Callable[[], None]]:
    """Yield what writes each output, so that none is lost with another one."""
    if page:
        from autostrada.report.pages.load_page import write_load_page

        yield lambda: write_load_page(document, load.at, page)
    if parquet:
        from autostrada.store.load_file import write_load

        yield lambda: write_load(load, parquet)
    if otlp_url:
        from autostrada.runner.otlp import send

        yield lambda: send(load, otlp_url)


def _add_to_history(load: "SavedLoad") -> None:
    """Add a load to the history, and print what earlier ones were."""
    from autostrada.report.history import beside
    from autostrada.store import history

    path = history.history_path()
    earlier, _ = history.read_history(path)
    history.append(load, path)
    sys.stderr.write(f"{beside(load, earlier)}\n")
