"""The command line: one module per command, which only parses its arguments."""

import signal
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from autostrada.cli import (
    archive,
    build,
    calibrate,
    certificate,
    compare,
    conformance,
    doctor,
    find,
    history,
    inventory,
    load,
    lock,
    new,
    plan,
    regress,
    report,
    run,
    site,
    trend,
    verify,
)
from autostrada.cli.load_options import EngineCommand, LoadCommand
from autostrada.errors import AutostradaError, UsageError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
COMMANDS: dict[str, Callable[..., None]] = {
    "run": run.run,
    "load": load.load,
    "find": find.find,
    "history": history.history,
    "report": report.report,
    "compare": compare.compare,
    "regress": regress.regress,
    "trend": trend.trend,
    "site": site.site,
    "archive": archive.archive,
    "list": inventory.inventory,
    "doctor": doctor.doctor,
    "build": build.build,
    "new": new.new,
    "lock": lock.lock,
    "verify": verify.verify,
    "conformance": conformance.conformance,
    "plan": plan.plan,
    "calibrate": calibrate.calibrate,
    "certificate": certificate.certificate,
}
"""All commands by name, in the order of the help."""

CLASSES = {"load": LoadCommand, "find": EngineCommand}
"""Classes of the commands that pass options on to the engine."""

for name, command in COMMANDS.items():
    app.command(name, cls=CLASSES.get(name))(command)


def _print_version(is_requested: bool) -> None:
    if is_requested:
        from autostrada.machine.version import version

        sys.stdout.write(f"autostrada {version()}\n")
        raise typer.Exit


@app.callback()
def autostrada(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version and exit.",
            is_eager=True,
            callback=_print_version,
        ),
    ] = False,
) -> None:
    """
    Measure how fast WebSocket software is, and what the bottleneck was.

    \b
    autostrada run race --quick        compare client libraries
    autostrada load ws://localhost:80  what does my server take?
    autostrada compare 12 13           did performance change between two runs?
    autostrada COMMAND --help          options and an example of a command
    """  # noqa: D301


def main() -> None:
    """Run the command line; exit with 2 for errors of usage, and 1 for other errors."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    # Background jobs of a shell ignore SIGINT, which Python would inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        app()
    except AutostradaError as error:
        sys.stderr.write(f"autostrada: {error}\n")
        sys.exit(2 if isinstance(error, UsageError) else 1)
