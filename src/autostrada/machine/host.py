"""The assignment of the machine's cores to server, client and observer."""

import os
import re
from dataclasses import dataclass

from autostrada.errors import UsageError
from autostrada.machine.process import on_cpus

_RANGE = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?")


@dataclass(frozen=True, kw_only=True, slots=True)
class Host:
    """
    The cores that a trial uses.

    ``server_cpus`` and ``client_cpus`` are disjoint if there are at least two cores,
    unless the experiment lets both ends share all cores. The observer runs on
    ``observer_cpus``, where the orchestrator sleeps during a trial. With three cores or
    more these are separate, otherwise they are the server's core, which never runs a
    contestant if the other end is the engine (``runner.context.placed``).
    """

    server_cpus: frozenset[int]
    client_cpus: frozenset[int]
    observer_cpus: frozenset[int]
    is_pinned: bool = True
    """Whether processes are pinned to their cores; if not, the kernel places them."""

    @property
    def is_apart(self) -> bool:
        """Whether server and client share no core."""
        return not self.server_cpus & self.client_cpus

    @property
    def reference_cpus(self) -> frozenset[int]:
        """
        The cores of the engine's clients beside those of a contestant.

        They are the observer's if these are separate, and otherwise the client's.
        """
        separate = self.observer_cpus - self.server_cpus - self.client_cpus
        return separate or self.client_cpus

    @property
    def is_shared(self) -> bool:
        """Whether server and client have only one core together."""
        return len(self.server_cpus | self.client_cpus) == 1


def this_host(cpus: frozenset[int] | None = None, *, wants_apart: bool = True) -> Host:
    """
    Divide the cores ``cpus``, or all usable ones, between server, client and observer.

    Server and client get one core each, as in the published comparisons. The client
    gets the last one, because interrupts are usually handled by the first. Without
    ``wants_apart``, all of them may use all cores.

    Raises:
        UsageError: a core in ``cpus`` is not usable, or processes cannot be pinned.
    """
    usable = frozenset(os.sched_getaffinity(0))
    if cpus is not None and not cpus <= usable:
        raise UsageError(
            f"core {join(cpus - usable)} cannot be used here, only {join(usable)}; "
            f"choose from these with --cpus"
        )
    ordered = sorted(usable if cpus is None else cpus)
    if not _may_pin(ordered):
        if cpus is not None:
            raise UsageError(
                "this system does not let processes choose their cores; omit --cpus"
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
    Parse a list of cores in the kernel's format: ``0-3,6``.

    Raises:
        UsageError: the text is not such a list.
    """
    cpus: set[int] = set()
    for part in text.replace(" ", "").split(","):
        match = _RANGE.fullmatch(part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise UsageError(
                f"--cpus {text!r} is not a list of cores; write it like 0-3,6"
            )
        cpus |= set(range(first, last + 1))
    return frozenset(cpus)


def join(cpus: frozenset[int]) -> str:
    """Format cores as a comma-separated list."""
    return ",".join(str(cpu) for cpu in sorted(cpus))


def _may_pin(cpus: list[int]) -> bool:
    """Whether pinning works; a sandbox may refuse it for cores listed as usable."""
    try:
        for cpu in (cpus[0], cpus[-1]):
            with on_cpus(frozenset({cpu})):
                pass
    except OSError:
        return False
    return True
