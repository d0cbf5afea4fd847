"""The history of loads: a file of JSON lines, one for each load, which only grows."""

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from autostrada.errors import UsageError
from autostrada.stats.buckets import bars, times_of

BARS_PER_DECADE = 100
"""In how many bars a decade of times is kept, each of which is 2.3 % wide."""


class LoadMetric(BaseModel):
    """A metric of a load, as ``load --json`` has it."""

    model_config = ConfigDict(frozen=True)

    name: str
    """Its name in conditions, such as ``p99``."""

    title: str
    unit: str
    value: float
    """In seconds, messages a second, bytes, a share in [0, 1], or a number."""


class SavedLoad(BaseModel):
    """A load of the history. It has no message, header field or query of a URL."""

    model_config = ConfigDict(frozen=True)

    name: str
    at: datetime
    asked: str
    """The load that was asked for, in one line."""

    limit: str
    metrics: Sequence[LoadMetric]
    messages_per_s: tuple[int, ...] = ()
    """Messages received in each second."""

    times_ns: tuple[tuple[int, int], ...] = ()
    """All response times, or delivery times: the middle of each bar, and its count."""

    def metric(self, name: str) -> LoadMetric | None:
        """Return the metric of a name; ``None`` if the load does not have it."""
        return next((each for each in self.metrics if each.name == name), None)


def history_path() -> Path:
    """Return the file of the history: that of this user, below ``XDG_STATE_HOME``."""
    given = os.environ.get("XDG_STATE_HOME")
    folder = Path(given or os.path.expanduser("~/.local/state"))
    return folder / "autostrada" / "loads.jsonl"


def saved(document: Mapping[str, Any], name: str | None, at: datetime) -> SavedLoad:
    """Return the load of a result; its name defaults to the URL without its query."""
    times = bars(times_of(document), BARS_PER_DECADE)
    return SavedLoad.model_validate(
        {
            **document,
            "name": name or document["url"],
            "at": at,
            "messages_per_s": [second["messages"] for second in document["seconds"]],
            "times_ns": [
                (round(10 ** ((bar + 0.5) / BARS_PER_DECADE)), count)
                for bar, count in times
            ],
        }
    )


def append(load: SavedLoad, path: Path) -> None:
    """
    Add a load at the end of the history; a line that was cut off stays by itself.

    Raises:
        UsageError: the file cannot be written.
    """
    line = f"{load.model_dump_json()}\n".encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b", buffering=0) as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                line = line if file.read(1) == b"\n" else b"\n" + line
            file.write(line)
    except OSError as error:
        raise UsageError(
            f"the load is not in the history: {path}: {error.strerror}"
        ) from error


def read_history(path: Path) -> tuple[list[SavedLoad], int]:
    """
    Return the loads in their order, and the number of lines that are none.

    Raises:
        UsageError: the file cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return [], 0
    except OSError as error:
        raise UsageError(
            f"the history cannot be read: {path}: {error.strerror}"
        ) from error
    loads, others = [], 0
    for line in lines:
        try:
            loads.append(SavedLoad.model_validate_json(line))
        except ValidationError:
            others += 1
    return loads, others
