"""Options of ``load`` that the engine does not have."""

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from autostrada.errors import UsageError

CONFIG = "--config"


def taken(option: str, arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """
    Return the value of an option, ``None`` without it, and the other arguments.

    Raises:
        UsageError: the option has no value.
    """
    found, others = None, []
    words = iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        if name != option:
            others.append(word)
            continue
        found = value if equals else next(words, "")
        if not found:
            raise UsageError(f"{option} needs a file: add its path")
    return found, others


def expanded(arguments: Sequence[str]) -> list[str]:
    """
    Return the arguments with the options of the file of ``--config`` before them.

    Options that follow override those of the file.

    Raises:
        UsageError: the file cannot be read, or has something else than options.
    """
    path, others = taken(CONFIG, arguments)
    return [*_options_of(Path(path)), *others] if path else others


def _options_of(path: Path) -> Iterator[str]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{CONFIG}: {path}: {error}") from None
    for name, value in table.items():
        option = f"--{name.replace('_', '-')}"
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, bool):
                yield from [option] if each else []
            elif isinstance(each, str | int | float):
                yield f"{option}={each}"
            else:
                raise UsageError(
                    f"{CONFIG}: {path}: {name} is neither a text, a number, true nor a "
                    "list of them"
                )
