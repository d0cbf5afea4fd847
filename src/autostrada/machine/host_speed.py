"""
Measures the host that limits make of this machine: its cipher, a loop, its memory.

Each metric is measured with the limits and the environment of the host, and where it is
relative to this machine, also without these, on the same cores.
"""

import re
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from autostrada.errors import EngineError
from autostrada.machine.executable import find_program
from autostrada.machine.limited_cgroup import Limits, new_limited_cgroup
from autostrada.machine.memory import available_bytes
from autostrada.machine.process import Command, Process, run_to_end

CIPHER = "aes-128-gcm"
SECONDS = 1
LIMIT_S = 30.0
"""Time in which each program must end."""

AVAILABLE_BYTES_MIN = 1024**3
"""Memory that must remain available to the machine when the limit is reached."""

_CIPHER_LINE = re.compile(r"^\+F:.*:([0-9.]+)$", re.MULTILINE)

_LOOP = f"""
import time
end = time.monotonic() + {SECONDS}
rounds = 0
while time.monotonic() < end:
    for _ in range(1000):
        rounds += 1
print(rounds)
"""

_FILL = """
held, size = [], 0
while True:
    held.append(b"x" * (1 << 22))
    size += 1 << 22
    print(size, flush=True)
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class SmallHost:
    """A host that is made of this machine by limits."""

    cpus: frozenset[int]
    limits: Limits | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class HostSpeed:
    """The metrics of a host."""

    cipher_bytes_per_s: float
    """Bytes that one process encrypts per second with AES-128-GCM, in blocks of 16
    KiB, by the wall clock."""

    machine_cipher_bytes_per_s: float
    """The same without the limits and the environment of the host."""

    loop_share: float
    """Speed of a loop of one process, relative to the same loop without limits."""

    memory_bytes_reached: int | None
    """Memory that a process had filled when the kernel ended it; ``None`` if there is
    no limit, or the machine has too little memory to reach it."""


def measure(host: SmallHost) -> HostSpeed:
    """
    Measure a host.

    Raises:
        EngineError: a program fails.
        UsageError: openssl is not installed, or the limits cannot be set.
    """
    machine = SmallHost(cpus=host.cpus)
    loops = _loops(machine)
    return HostSpeed(
        cipher_bytes_per_s=_cipher_bytes_per_s(host),
        machine_cipher_bytes_per_s=_cipher_bytes_per_s(machine),
        loop_share=_loops(host) / loops,
        memory_bytes_reached=_memory_bytes_reached(host),
    )


def _cipher_bytes_per_s(host: SmallHost) -> float:
    options = ["-elapsed", "-mr", "-seconds", str(SECONDS), "-bytes", "16384"]
    arguments = [find_program("openssl"), "speed", *options, "-evp", CIPHER]
    return _output(host, arguments, lambda text: float(_CIPHER_LINE.findall(text)[0]))


def _loops(host: SmallHost) -> float:
    arguments = [sys.executable, "-c", _LOOP]
    return _output(host, arguments, lambda text: float(text.split()[0]))


def _output(
    host: SmallHost, arguments: list[str], read: Callable[[str], float]
) -> float:
    with new_limited_cgroup(host.limits) as limits:
        command = Command(
            arguments=arguments,
            folder=Path("/"),
            environment=host.environment,
            cpus=host.cpus,
            limits=limits,
            is_measured=True,
        )
        if limits:
            limits.limit_cpu_time()
        status, text = run_to_end(command, limit_s=LIMIT_S)
    try:
        return read(text)
    except (IndexError, ValueError) as error:
        raise EngineError(
            f"{' '.join(arguments[:2])} printed no speed, and exited with {status}: "
            f"{text[-200:]}"
        ) from error


def _memory_bytes_reached(host: SmallHost) -> int | None:
    """Fill the memory until the kernel ends the process; return the last size."""
    allowed = host.limits.memory_bytes_max if host.limits else None
    if allowed is None or available_bytes() < allowed + AVAILABLE_BYTES_MIN:
        return None
    reached = 0
    with new_limited_cgroup(host.limits) as limits:
        command = Command(
            arguments=[sys.executable, "-c", _FILL],
            folder=Path("/"),
            cpus=host.cpus,
            limits=limits,
        )
        with Process(command) as process:
            deadline_s = time.monotonic() + LIMIT_S
            while (line := process.read_line(deadline_s)) is not None:
                reached = int(line)
                if reached > 2 * allowed:
                    raise EngineError(
                        f"a process had {reached} bytes, and the limit of {allowed} "
                        f"was not held"
                    )
    return reached
