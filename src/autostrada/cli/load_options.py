"""Options of ``load`` that the engine does not have."""

import os
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from autostrada.errors import UsageError

CONFIG = "--config"

_WITHOUT_RESULT = {"-h", "--help", "--plan", "--print-plan"}
"""Options with which the engine does something else than to report a load."""


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Outputs:
    """Where the result of a load goes, beside what the engine writes by itself."""

    page: Path | None
    parquet: Path | None
    otlp_url: str | None
    name: str | None
    """Its name in the history; ``None`` for the URL."""

    is_saved: bool
    """Whether the load becomes a part of the history."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing needs the result."""
        return not (self.is_saved or self.page or self.parquet or self.otlp_url)


def outputs(arguments: Sequence[str]) -> tuple[Outputs, list[str]]:
    """
    Return the outputs that the arguments name, and the arguments for the engine.

    Raises:
        UsageError: an option has no value, or its file cannot be written.
    """
    page, others = taken("--html", arguments, "a file")
    parquet, others = taken("--parquet", others, "a file")
    otlp_url, others = taken("--otlp", others, "the URL of a collector")
    name, others = taken("--name", others, "a name")
    engines = [word for word in others if word != "--no-save"]
    names = {word.partition("=")[0] for word in engines}
    found = Outputs(
        page=_writable("--html", page),
        parquet=_writable("--parquet", parquet),
        otlp_url=otlp_url,
        name=name,
        is_saved=engines == others and names.isdisjoint(_WITHOUT_RESULT),
    )
    return found, engines


@dataclass(frozen=True, slots=True)
class WantedHosts:
    """The hosts of a cluster that are to divide a load."""

    address: str
    count: int | None
    """How many of them; ``None`` for all."""


def wanted_hosts(arguments: Sequence[str]) -> tuple[WantedHosts | None, list[str]]:
    """
    Return the hosts that are to divide the load, and the other arguments.

    Raises:
        UsageError: an option has no value or a wrong one, or does not go with hosts.
    """
    address, others = taken("--hosts", arguments, "the address of a cluster, or auto")
    number, others = taken("--host-count", others, "a number")
    if address is None:
        if number is not None:
            raise UsageError("--host-count needs --hosts: add it")
        return None, others
    names = {word.partition("=")[0] for word in others}
    if names & {"-h", "--help"}:
        return None, others
    if unfit := sorted(names & _OF_ONE_HOST):
        raise UsageError(f"{unfit[0]} does not go with --hosts: leave it out")
    if number is not None and not (number.isdecimal() and int(number) > 0):
        raise UsageError(f"--host-count {number} is not a number of hosts such as 8")
    # The engine writes them when the load is over.
    for option in _DOCUMENTS:
        path, _ = taken(option, others, "a file")
        _writable(option, path if path != "-" else None)
    return WantedHosts(address, int(number) if number else None), others


@contextmanager
def divided_among(
    wanted: WantedHosts, *, is_plain: bool
) -> Iterator[Callable[[Sequence[str]], str]]:
    """
    Connect to hosts, and give what loads a server from them.

    It takes options of ``load``, and gives the lines of all engines.

    Raises:
        UsageError: the hosts cannot be used.
    """
    from autostrada.engine.process import find_engine
    from autostrada.hosts.cluster import connected
    from autostrada.hosts.load import DividedLoad, plan_of
    from autostrada.hosts.progress import shown

    engine = find_engine()
    with (
        connected(wanted.address, wanted.count, engine) as cluster,
        shown(is_plain=is_plain) as progress,
    ):
        yield lambda options: DividedLoad(
            cluster, plan_of(engine, options), progress
        ).text()


def taken(
    option: str, arguments: Sequence[str], value: str
) -> tuple[str | None, list[str]]:
    """
    Return the value of an option, ``None`` without it, and the other arguments.

    Raises:
        UsageError: the option has no value; ``value`` says what it needs.
    """
    found, others = None, []
    words = iter(arguments)
    for word in words:
        name, equals, text = word.partition("=")
        if name != option:
            others.append(word)
            continue
        found = text if equals else next(words, "")
        if not found:
            raise UsageError(f"{option} needs {value}: add it")
    return found, others


def expanded(arguments: Sequence[str]) -> list[str]:
    """
    Return the arguments with the options of the file of ``--config`` before them.

    Options that follow override those of the file.

    Raises:
        UsageError: the file cannot be read, or has something else than options.
    """
    path, others = taken(CONFIG, arguments, "a file")
    return [*_options_of(Path(path)), *others] if path else others


def _writable(option: str, path: str | None) -> Path | None:
    if path is None:
        return None
    file = Path(path)
    if not os.access(file.parent, os.W_OK) or file.is_dir():
        raise UsageError(f"{option}: {file} cannot be written: choose another file")
    return file


def _options_of(path: Path) -> Iterator[str]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{CONFIG}: {path}: {error}") from None
    for name, value in table.items():
        option = f"--{name.replace('_', '-')}"
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, bool):
                yield from [option] if one else []
            elif isinstance(one, str | int | float):
                yield f"{option}={one}"
            else:
                raise UsageError(
                    f"{CONFIG}: {path}: {name} is neither a text, a number, true nor a "
                    "list of them"
                )
