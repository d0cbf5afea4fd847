"""
Overloads a server, halves the load, and waits until it meets the objective again.

One load goes on at half of the rate, or with half of the connections. A second one adds
the other half for as long as a point of the search takes.
"""

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from autostrada.engine.messages import LoadReport
from autostrada.find.loader import LOG, Loader, raise_failure
from autostrada.runner.load import read_report

AFTERWARDS = 2
"""Duration of the load after the overload, in durations of the overload."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OverloadRecovery:
    """Whether a server met the objective again after the load was halved."""

    after_s: int | None
    """Seconds until it did for good; ``None`` if it did not."""

    observed_s: int
    """For how many seconds the halved load was observed."""

    was_broken: bool
    """Whether a second broke the times or errors of the objective at all."""


def recover(
    loader: Loader, others: Sequence[str], value: int, overload_s: float
) -> OverloadRecovery:
    """
    Overload a server with a value for ``overload_s``, then with half of it.

    ``others`` are the options of the load that is added: it starts no server.
    """
    half = max(1, value // 2)
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder, "load.json"), Path(folder, "added.json")
        whole_s = (1 + AFTERWARDS) * overload_s + 2
        with (
            _load(loader, loader.options, half, whole_s, files[0]) as load,
            _load(loader, others, half, overload_s, files[1]) as added,
        ):
            for process in (added, load):
                _, errors = process.communicate()
                raise_failure(process.returncode, errors)
        return recovery(*(read_report(file.read_text()) for file in files))


def recovery(load: LoadReport, added: LoadReport) -> OverloadRecovery:
    """
    Return when a load met the objective for good after another one had ended.

    Its seconds within the window count, as nothing is sent afterwards.
    """
    end_ns = added.window_start_ns + added.window_ns
    ended_s = (end_ns - load.window_start_ns) / 1e9
    complete = load.seconds[: load.window_ns // 10**9]
    broken = [at for at, second in enumerate(complete) if second.broken]
    first_met = broken[-1] + 1 if broken else 0
    is_met = first_met < len(complete)
    return OverloadRecovery(
        after_s=max(0, round(first_met - ended_s)) if is_met else None,
        observed_s=round(len(complete) - ended_s),
        was_broken=bool(broken),
    )


@contextmanager
def _load(
    loader: Loader, options: Sequence[str], value: int, duration_s: float, file: Path
) -> Iterator[subprocess.Popen[str]]:
    """Load the server; yield the process when its first second is over."""
    arguments = loader.arguments(options, value)
    times = ["-d", f"{duration_s}s", "--warm-up", "0s"]
    with subprocess.Popen(
        [loader.engine, "load", *arguments, *times, "--plain", "--json", file],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr, "it is a pipe"
        logged = ""
        for line in process.stderr:
            if not line.startswith(LOG):
                break
            logged += line
        else:
            raise_failure(process.wait(), logged)
        try:
            yield process
        finally:
            process.terminate()
