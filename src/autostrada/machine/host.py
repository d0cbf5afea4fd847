"""The machine as a value: which cores play which part."""

import os
import re
from dataclasses import dataclass

from autostrada.errors import UsageError
from autostrada.machine.process import on_cpus

_RANGE = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?")


@dataclass(frozen=True, kw_only=True, slots=True)
class Host:
    """
    Where a trial runs.

    ``client_cpus`` and ``server_cpus`` are apart where there are two cores or more, but
    where both ends are to share all of them. The observer looks at them from
    ``observer_cpus``, and the orchestrator sleeps there while a trial runs: on cores of
    their own where there are three, else with the engine, which has time to spare,
    never with the contestant.
    """

    server_cpus: frozenset[int]
    client_cpus: frozenset[int]
    observer_cpus: frozenset[int]
    is_pinned: bool = True
    """Whether the parts are kept apart by us; where not, each may run everywhere."""

    @property
    def is_apart(self) -> bool:
        """Whether server and client have no core in common."""
        return not self.server_cpus & self.client_cpus

    @property
    def is_shared(self) -> bool:
        """Whether server and client have to share a core."""
        return len(self.server_cpus | self.client_cpus) == 1


def this_host(cpus: frozenset[int] | None = None, *, wants_apart: bool = True) -> Host:
    """
    Divide cores between server, client and observer: those given, or all we may use.

    Where they are not wanted apart, each may use all of them.

    The engine has one thread: it gets one core. The client gets one core as well, as
    in the published comparisons; the last one, as interrupts prefer the first.

    Raises:
        UsageError: a given core may not be used, or we may not choose cores at all.
    """
    usable = frozenset(os.sched_getaffinity(0))
    if cpus is not None and not cpus <= usable:
        raise UsageError(
            f"core {join(cpus - usable)} cannot be used here, only {join(usable)}; "
            f"name some of these with --cpus"
        )
    ordered = sorted(usable if cpus is None else cpus)
    if not _may_pin(ordered):
        if cpus is not None:
            raise UsageError(
                "this system does not let processes choose their cores; leave out "
                "--cpus"
            )
        return Host(
            server_cpus=usable,
            client_cpus=usable,
            observer_cpus=usable,
            is_pinned=False,
        )
    if not wants_apart:
        everything = frozenset(ordered)
        return Host(
            server_cpus=everything, client_cpus=everything, observer_cpus=everything
        )
    return Host(
        server_cpus=frozenset(ordered[:1]),
        client_cpus=frozenset(ordered[-1:]),
        observer_cpus=frozenset(ordered[1:-1] or ordered[:1]),
    )


def parse_cpus(text: str) -> frozenset[int]:
    """
    Read a list of cores as the kernel writes them: ``0-3,6``.

    Raises:
        UsageError: it is no such list.
    """
    cpus: set[int] = set()
    for part in text.replace(" ", "").split(","):
        match = _RANGE.fullmatch(part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise UsageError(
                f"--cpus {text!r} is no list of cores; write one like 0-3,6"
            )
        cpus |= set(range(first, last + 1))
    return frozenset(cpus)


def join(cpus: frozenset[int]) -> str:
    """Write cores as a list."""
    return ",".join(str(cpu) for cpu in sorted(cpus))


def _may_pin(cpus: list[int]) -> bool:
    """Try it: a sandbox may refuse, and the list of what we may use does not say so."""
    try:
        for cpu in (cpus[0], cpus[-1]):
            with on_cpus(frozenset({cpu})):
                pass
    except OSError:
        return False
    return True
