"""Other load generators: their installation, and the costs that their scripts have."""

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from rich.console import Console

from autostrada.errors import EngineError
from autostrada.machine.memory import descendants_of
from autostrada.machine.process import Command, run_to_end

from .bench import BenchProgram, Document, MessageCost

INSTALL_LIMIT_S = 1800.0


def install(marker: Path, command: Command, console: Console) -> str | None:
    """
    Install a program, unless the file ``marker`` exists, which is created afterwards.

    The marker has the version as its name, and is in the folder of the program. The
    reason is returned if the installation is impossible.
    """
    if marker.exists():
        return None
    console.print(f"installing {marker.parent.name} {marker.name}")
    name = " ".join(command.arguments[:2])
    try:
        status, output = run_to_end(command, limit_s=INSTALL_LIMIT_S)
    except (OSError, TimeoutError) as error:
        return f"{name} failed: {error!r}"
    if status != 0:
        return f"{name} failed: {output}"
    marker.touch()
    return None


def cost_of_events(program: BenchProgram, events: Iterable[Document]) -> MessageCost:
    """
    Return the cost of a message, from the events of a program's script.

    The CPU time of the program and its descendants is read at the first event and at
    the last ``end``, which has the number of messages and the time in which they were
    exchanged.

    Raises:
        EngineError: no message was exchanged.
    """
    ends: list[Document] = []
    readings: list[tuple[int, int]] = []
    for event in events:
        if event["event"] == "end":
            ends.append(event)
        if event["event"] == "end" or not readings:
            readings.append((time.monotonic_ns(), tree_cpu_ns(program.pid)))
    wall_ns = wall_ns_per_message(ends)
    (began_at, cpu_before), (ended_at, cpu_after) = readings[0], readings[-1]
    utilization = (cpu_after - cpu_before) / (ended_at - began_at)
    return MessageCost(wall_ns=wall_ns, cpu_ns=wall_ns * utilization)


def wall_ns_per_message(ends: Iterable[Document]) -> float:
    """
    Return the elapsed time per message of all virtual users together.

    Raises:
        EngineError: no message was exchanged.
    """
    rate_per_ms: float = sum(end["messages"] / end["duration_ms"] for end in ends)
    if rate_per_ms == 0:
        raise EngineError("no message was exchanged")
    return 1e6 / rate_per_ms


def tree_cpu_ns(pid: int) -> int:
    """Return the CPU time of a process and its living descendants in nanoseconds."""
    return sum(cpu_ns(each) for each in descendants_of(pid))


def open_files(pid: int) -> int:
    """Return the number of open files of a process and its living descendants."""
    files = 0
    for each in descendants_of(pid):
        with suppress(OSError):
            files += len(os.listdir(f"/proc/{each}/fd"))
    return files


def cpu_ns(pid: int) -> int:
    """Return the CPU time of a process in nanoseconds, in ticks of the kernel."""
    stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    user, system = stat.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
