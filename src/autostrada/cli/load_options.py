"""Options of ``load`` and ``find`` that the engine lacks, and options of a file."""

import os
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from autostrada.cli.options import option
from autostrada.errors import UsageError

_DOCUMENTS = ("--json", "--csv", "--markdown", "--junit", "--hgrm")
"""Options that name a file which the engine writes."""

_OF_ONE_HOST = {
    "-w",
    "--watch",
    "--watch-command",
    "--prometheus",
    "--merge",
    "--plan",
    "--print-plan",
}
"""Options that need the engine to be on this machine."""


class EngineCommand(TyperCommand):
    """A command with options of its own, which passes all others on to the engine."""

    allow_extra_args = True
    ignore_unknown_options = True

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """
        Parse the command's own options, with errors of one line as the engine's.

        Raises:
            UsageError: an option has no value or a wrong one.
        """
        valued = {
            option: parameter.metavar
            for parameter in self.params
            if not getattr(parameter, "is_flag", False)
            for option in parameter.opts
        }
        for word, following in pairwise([*args, ""]):
            name, equals, text = word.partition("=")
            value = text if equals else following
            is_option = not equals and value.startswith("-") and value != "-"
            if name in valued and (not value or is_option):
                raise UsageError(f"{name} needs a value: write {name}={valued[name]}")
        try:
            return super().parse_args(
                ctx, ["--help" if word == "-h" else word for word in args]
            )
        except typer.TyperException as error:
            text = error.format_message().rstrip(".")
            raise UsageError(
                f"{text[:1].lower()}{text[1:]}; --help lists all options"
            ) from None


class LoadCommand(EngineCommand):
    """``load``, whose help is the engine's and that of its own options."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        from autostrada.engine.process import find_engine
        from autostrada.runner.load import SHOWN_NAME

        engine = subprocess.run(
            [*SHOWN_NAME, "--help"],
            executable=find_engine(),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        formatter.write(f"{engine.stdout}\nOptions that autostrada-engine lacks:\n")
        formatter.current_indent = 6
        options: list[Any] = self.params
        formatter.write_dl(
            [
                (
                    option.opts[0] + (f" <{option.metavar}>" if option.metavar else ""),
                    f"{option.help}".rstrip("."),
                )
                for option in options
            ]
        )


def _writable(parameter: typer.CallbackParam, file: Path | None) -> Path | None:
    return file and writable(parameter.opts[0], file)


def writable(option: str, file: Path) -> Path:
    """
    Return the file of an option.

    Raises:
        UsageError: it cannot be written.
    """
    if not os.access(file.parent, os.W_OK) or file.is_dir():
        raise UsageError(f"{option}: {file} cannot be written: choose another file")
    return file


def _read(context: typer.Context, file: Path | None) -> Path | None:
    """Take the options of a file as defaults; those of the engine become ``obj``."""
    own = {
        option: parameter
        for parameter in context.command.params
        if not parameter.is_eager
        for option in parameter.opts
    }
    defaults, engines = {}, []
    for name, value in _options_of(file) if file else ():
        option = f"--{name.replace('_', '-')}"
        parameter: Any = own.get(option)
        if parameter is None:
            if isinstance(value, bool):
                engines += [option] if value else []
            else:
                engines.append(f"{option}={value}")
        elif parameter.is_flag is not isinstance(value, bool) or value == "":
            needed = "is true or false" if parameter.is_flag else "needs a value"
            raise UsageError(f"--config: {file}: {name} {needed}")
        else:
            defaults[parameter.name] = value
    context.obj, context.default_map = engines, defaults
    return file


def _options_of(file: Path) -> Iterator[tuple[str, str | int | float]]:
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"--config: {file}: {error}") from None
    for name, value in table.items():
        for one in value if isinstance(value, list) else [value]:
            if not isinstance(one, str | int | float):
                raise UsageError(
                    f"--config: {file}: {name} is neither a text, a number, true nor a "
                    "list of them"
                )
            if "\0" in f"{name}{one}":
                raise UsageError(
                    f"--config: {file}: {name!r} has a null character: remove it"
                )
            yield name, one


Page = Annotated[
    Path | None,
    option(
        "Write a page with charts to a file.",
        "FILE",
        "none",
        "--html",
        callback=_writable,
    ),
]
Parquet = Annotated[
    Path | None,
    option(
        "Write the metrics to a file of Parquet with one row.",
        "FILE",
        "none",
        callback=_writable,
    ),
]
OtlpUrl = Annotated[
    str | None,
    option(
        "Send the metrics to a collector of OpenTelemetry at this URL, by OTLP over "
        "HTTP.",
        "URL",
        "none",
        "--otlp",
    ),
]
Name = Annotated[
    str | None,
    option(
        "Name of the load in the history; autostrada history shows it "
        "[default: the URL].",
        "NAME",
        "the URL",
    ),
]
NoSave = Annotated[
    bool, typer.Option("--no-save", help="Leave the load out of the history.")
]
Config = Annotated[
    Path | None,
    option(
        'Options from a file of TOML, as connections = "1k"; those of the command '
        "line override them.",
        "FILE",
        "none",
        callback=_read,
        is_eager=True,
    ),
]
Hosts = Annotated[
    str | None,
    option(
        "Load from the hosts of a Ray cluster: its address, or auto on one of them: "
        "docs/hosts.md.",
        "ADDRESS",
        "this machine",
    ),
]
HostCount = Annotated[int | None, option("Number of these hosts.", "N", "all", min=1)]


def engine_arguments(context: typer.Context) -> list[str]:
    """
    Return the arguments for the engine.

    Those of the file of ``--config`` are first, so that the others override them.
    """
    return [*context.obj, *context.args]


def extract_option(
    option: str, arguments: Sequence[str]
) -> tuple[str | None, list[str]]:
    """Return the value of an option of the engine, and the arguments without it."""
    value, others = None, []
    words = iter(arguments)
    for word in words:
        name, equals, text = word.partition("=")
        if name == option:
            value = text if equals else next(words, None)
        else:
            others.append(word)
    return value, others


def check_hosts(
    address: str | None, count: int | None, arguments: Sequence[str]
) -> None:
    """
    Refuse arguments of the engine that do not go with hosts.

    Raises:
        UsageError: there is such an argument.
    """
    if address is None:
        if count is not None:
            raise UsageError("--host-count needs --hosts: add it")
        return
    names = {word.partition("=")[0] for word in arguments}
    if unfit := sorted(names & _OF_ONE_HOST):
        raise UsageError(f"{unfit[0]} does not go with --hosts: leave it out")
    # The engine writes them when the load is over.
    for document in _DOCUMENTS:
        file, _ = extract_option(document, arguments)
        if file and file != "-":
            writable(document, Path(file))


@contextmanager
def divided_among(
    address: str, count: int | None, *, is_plain: bool
) -> Iterator[Callable[[Sequence[str]], str]]:
    """
    Connect to so many hosts, or all, and give what loads a server from them.

    It takes options of ``load``, and gives the lines of all engines.
    """
    from autostrada.engine.process import find_engine
    from autostrada.hosts.cluster import open_cluster
    from autostrada.hosts.load import DividedLoad, plan_of
    from autostrada.hosts.progress import live_progress

    engine = find_engine()
    with (
        open_cluster(address, count, engine) as cluster,
        live_progress(is_plain=is_plain) as progress,
    ):
        yield lambda options: DividedLoad(
            cluster, plan_of(engine, options), progress
        ).text()
