"""
Profiles a program with ``perf`` from its start on, without changing its process.

A shell starts ``perf``, which attaches to the shell, and then replaces itself by the
program. ``perf`` ends by itself.
"""

import re
import subprocess
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from autostrada.machine.executable import find_program

PERIOD_NS = 200_000
"""CPU time between two samples. With a frequency instead, a thread that runs for less
would have a sample whenever it begins to run."""

DELAY_MS = 500
"""Time after the start that is not recorded: the program loads its libraries."""

CALLS = "raw_syscalls:sys_enter"
READS = tuple(
    f"syscalls:sys_enter_{name}"
    for name in ("read", "readv", "recvfrom", "recvmsg", "recvmmsg")
)
CLOCK = "task-clock"
TRACEPOINTS = Path("/sys/kernel/tracing/events/syscalls/sys_enter_read")

FRAMES_OF = {"javascript": "fp", "java": "fp", "scala": "fp", "go": "fp"}
"""How ``perf`` finds the stacks of a language: by frame pointers. Compilers of others
leave these out, and ``perf`` uses their tables for exceptions (``dwarf``)."""

JVM_OPTIONS = (
    "-XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit"
)

NAMES_OF: Mapping[str, Mapping[str, str]] = {
    "python": {"PYTHONPERFSUPPORT": "1"},
    "javascript": {
        "NODE_OPTIONS": "--perf-basic-prof --interpreted-frames-native-stack"
    },
    "java": {"JAVA_TOOL_OPTIONS": JVM_OPTIONS},
    "scala": {"JAVA_TOOL_OPTIONS": JVM_OPTIONS},
}
"""Variables that make a runtime write the names of its functions for ``perf``."""

AWAIT_PERF = """
for _ in $(seq 100); do [ -s "$0.data" ] && break; sleep 0.02; done
"""
"""Waits up to two seconds until ``perf`` has attached and written its header. It would
miss threads that begin before."""

NO_NAME = "[unknown]"


@dataclass(frozen=True, kw_only=True, slots=True)
class PerfRecord:
    """What ``perf`` has recorded of a program."""

    samples: Mapping[tuple[str, ...], int]
    """Number of samples of each stack, the outermost function first."""

    calls_per_cpu_s: float | None
    reads_per_cpu_s: float | None
    """System calls, and those that read, a second of CPU time; ``None`` if they cannot
    be counted here."""

    @property
    def unnamed_share(self) -> float:
        """Share of the samples in functions without a name."""
        unnamed = sum(
            count for stack, count in self.samples.items() if stack[-1] == NO_NAME
        )
        return unnamed / max(1, sum(self.samples.values()))


def with_perf(
    arguments: Sequence[str], kit: str, base: Path, until_s: float
) -> tuple[str, ...]:
    """
    Return the command that starts a program beside ``perf``; see ``read_record``.

    ``perf`` ends after ``until_s``, before the program: both end if they are killed.

    Raises:
        UsageError: ``perf`` is not installed.
    """
    perf = find_program("perf")
    frames = FRAMES_OF.get(kit, "dwarf,4096")
    until = f"-- sleep {until_s:.2f} </dev/null >/dev/null"
    record = (
        f"{perf} record --quiet --no-buildid --event cpu-clock --count {PERIOD_NS} "
        f"--call-graph {frames} "
        f'--delay {DELAY_MS} --pid $$ --output "$0.data" {until} 2>"$0.log" &'
    )
    events = ",".join([CLOCK, *((CALLS, *READS) if TRACEPOINTS.is_dir() else ())])
    stat = (
        f"{perf} stat --field-separator , --event {events} --delay {DELAY_MS} "
        f'--pid $$ --output "$0.csv" {until} 2>&1 &'
    )
    script = f'{stat}\n{record}\n{AWAIT_PERF}\nexec "$@"'
    return ("sh", "-c", script, str(base), *arguments)


def read_record(base: Path) -> PerfRecord | None:
    """Return what was recorded, and delete it; ``None`` if there is nothing."""
    data = base.with_suffix(".data")
    found = subprocess.run(
        [
            *("perf", "script", "--no-inline", "--fields", "pid,ip,sym"),
            *("--input", str(data)),
        ],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    samples = parse_samples(found.stdout, CompiledNames())
    counts: dict[str, float] = {}
    with suppress(OSError):
        counts = parse_counts(base.with_suffix(".csv").read_text())
    data.unlink(missing_ok=True)
    if not samples:
        return None
    cpu_s = counts.get(CLOCK, 0.0) / 1e3
    is_counted = cpu_s > 0 and CALLS in counts
    reads = sum(counts.get(name, 0.0) for name in READS)
    return PerfRecord(
        samples=samples,
        calls_per_cpu_s=counts[CALLS] / cpu_s if is_counted else None,
        reads_per_cpu_s=reads / cpu_s if is_counted else None,
    )


class CompiledNames:
    """The functions that a runtime has compiled, from the file that it writes."""

    def __init__(self, folder: Path = Path("/tmp")) -> None:
        self._folder = folder
        self._known: dict[int, list[tuple[int, int, str]]] = {}

    def of(self, process: int) -> list[tuple[int, int, str]]:
        """Return all functions, and delete the file when it has been read."""
        if process not in self._known:
            self._known[process] = sorted(self._read(process))
        return self._known[process]

    def name(self, process: int, address: int) -> str:
        """Return the function at an address of a process."""
        known = self.of(process)
        at = bisect(known, (address + 1,)) - 1
        if at < 0 or address >= known[at][1]:
            return NO_NAME
        return known[at][2]

    def _read(self, process: int) -> Iterator[tuple[int, int, str]]:
        path = self._folder / f"perf-{process}.map"
        with suppress(OSError):
            for line in path.read_text(errors="replace").splitlines():
                start, size, name = line.split(" ", 2)
                yield int(start, 16), int(start, 16) + int(size, 16), name
            path.unlink()


def parse_samples(text: str, names: CompiledNames) -> Mapping[tuple[str, ...], int]:
    """Return the stacks that ``perf script`` prints, with the number of each."""
    counts: Counter[tuple[str, ...]] = Counter()
    for block in text.split("\n\n"):
        first, *lines = block.strip("\n").split("\n")
        if not first.strip().isdigit() or not lines:
            continue
        process = int(first)
        names.of(process)
        stack = []
        for line in reversed(lines):
            address, _, name = line.strip().partition(" ")
            if name in {"", NO_NAME}:
                name = names.name(process, int(address, 16))
            stack.append(_short(name))
        counts[tuple(stack)] += 1
    return counts


def parse_counts(text: str) -> dict[str, float]:
    """Return the counts that ``perf stat`` prints, by event; those that it has."""
    counts = {}
    for line in text.splitlines():
        fields = line.split(",")
        with suppress(ValueError):
            if len(fields) > 2:
                counts[fields[2].partition(":u")[0]] = float(fields[0])
    return counts


def _short(name: str) -> str:
    """Return a name without its address, state of compilation and build's folder."""
    name = re.sub(r"^JS:[~^*+]?|^LazyCompile:[~*]?|^Function:[~^*+]?", "", name)
    name = re.sub(r"/\S*/contestants/[^/\s]+/", "", name)
    return re.sub(r"\+0x[0-9a-f]+$", "", name)
