"""
Overloads a server, halves the load, and waits until it meets the objective again.

One load goes on at half of the rate, or with half of the connections. A second one adds
the other half for as long as a point of the search takes.
"""

import json
import re
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autostrada.errors import EngineError, UsageError
from autostrada.runner.find import Loader
from autostrada.stats.recovery import SecondLimit, second_limits, seconds_to_recover

AFTERWARDS = 2
"""Duration of the load after the overload, in durations of the overload."""

_SECOND = re.compile(r" *\d+ s ")
"""The beginning of a line about a second."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OverloadRecovery:
    """Whether a server met the objective again after the load was halved."""

    after_s: int | None
    """Seconds until it did for good; ``None`` if it did not."""

    observed_s: int
    """For how many seconds the halved load was observed."""


def recovery_limits(objective: str, vary: str) -> list[SecondLimit]:
    """
    Return what must hold in each second of an objective.

    Raises:
        UsageError: the objective has no times or errors, or something else is varied.
    """
    if vary == "pipeline":
        raise UsageError("--recover needs --vary rate or connections")
    limits = second_limits(objective)
    if not limits:
        raise UsageError(
            "--recover needs an objective for times or errors, such as p99<50ms"
        )
    return limits


def recover(
    loader: Loader,
    others: Sequence[str],
    limits: Sequence[SecondLimit],
    value: int,
    overload_s: float,
) -> OverloadRecovery:
    """
    Overload a server with a value for ``overload_s``, then with half of it.

    ``others`` are the options of the load that is added: it starts no server.

    Raises:
        EngineError: nothing was measured.
    """
    half = max(1, value // 2)
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder, "load.json"), Path(folder, "added.json")
        whole_s = (1 + AFTERWARDS) * overload_s + 2
        with (
            _load(loader, loader.options, half, whole_s, files[0]) as (load, begun_s),
            _load(loader, others, half, overload_s, files[1]) as (added, added_s),
        ):
            added.wait()
            load.wait()
        seconds, of_added = map(_seconds, files)
    sent = [second["second"] for second in of_added if second["sent"]]
    ended_s = added_s - begun_s + (sent[-1] + 1 if sent else 0)
    return OverloadRecovery(
        after_s=seconds_to_recover(seconds, limits, ended_s),
        observed_s=round(len(seconds) - 1 - ended_s),
    )


@contextmanager
def _load(
    loader: Loader, options: Sequence[str], value: int, duration_s: float, file: Path
) -> Iterator[tuple[subprocess.Popen[str], float]]:
    """Load the server; yield the process, and when its first second began."""
    times = ["-d", f"{duration_s}s", "--warm-up", "0s"]
    with subprocess.Popen(
        [
            *(str(loader.engine), "load", *options, *loader.varied(value)),
            *(*times, "--plain", "--json", str(file)),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr, "it is a pipe"
        line = ""
        for line in process.stderr:
            if _SECOND.match(line):
                break
        else:
            raise EngineError(line.strip() or "the load has ended at once")
        begun_s = time.monotonic() - 1
        # A full pipe would stop the load.
        threading.Thread(target=process.stderr.read, daemon=True).start()
        try:
            yield process, begun_s
        finally:
            process.terminate()


def _seconds(file: Path) -> list[dict[str, Any]]:
    seconds: list[dict[str, Any]] = json.loads(file.read_text())["seconds"]
    return seconds
