"""The assignment of the machine's cores to server, client and observer."""

import os
import re
from dataclasses import dataclass, replace
from typing import Self

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

    is_server_fixed: bool = False
    """Whether the server has a chosen number of cores, so that the ends cannot exchange
    theirs."""

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

    @property
    def contestant_cores_max(self) -> int:
        """
        Largest number of cores that the client can have beside those of the server.

        It is 1 if the ends share cores or cannot be pinned.
        """
        if not (self.is_pinned and self.is_apart):
            return 1
        every = self.server_cpus | self.client_cpus | self.observer_cpus
        return len(every - self.server_cpus)

    def with_contestant_cores(self, number: int) -> Self:
        """
        Return the host with this many cores for the client, at most the largest number.

        They come from the observer, which keeps the others, or runs on the server's
        core if there are none.
        """
        if number <= len(self.client_cpus):
            return self
        assert number <= self.contestant_cores_max, "the run leaves such workloads out"
        free = sorted((self.client_cpus | self.observer_cpus) - self.server_cpus)
        return replace(
            self,
            client_cpus=frozenset(free[-number:]),
            observer_cpus=frozenset(free[:-number]) or self.server_cpus,
        )


def this_host(
    cpus: frozenset[int] | None = None,
    *,
    wants_apart: bool = True,
    server_cores: int | None = None,
) -> Host:
    """
    Divide the cores ``cpus``, or all usable ones, between server, client and observer.

    Server and client get one core each, as in the published comparisons. The client
    gets the last one, because interrupts are usually handled by the first. Without
    ``wants_apart``, all of them may use all cores. With ``server_cores`` the server has
    this number of cores, the last ones, and the clients have all others, or also these
    without ``wants_apart``.

    Raises:
        UsageError: a core in ``cpus`` is not usable, there are not enough for
            ``server_cores``, or processes cannot be pinned.
    """
    usable = frozenset(os.sched_getaffinity(0))
    if cpus is not None and not cpus <= usable:
        raise UsageError(
            f"core {join(cpus - usable)} cannot be used here, only {join(usable)}; "
            f"choose from these with --cpus"
        )
    ordered = sorted(usable if cpus is None else cpus)
    if not _may_pin(ordered):
        if cpus is not None or server_cores is not None:
            key = "--cpus" if cpus is not None else "server_host.cores"
            raise UsageError(
                f"this system does not let processes choose their cores; omit {key}"
            )
        return Host(
            server_cpus=usable,
            client_cpus=usable,
            observer_cpus=usable,
            is_pinned=False,
        )
    if server_cores is not None:
        return _with_server_cores(ordered, server_cores, wants_apart=wants_apart)
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


def _with_server_cores(ordered: list[int], number: int, *, wants_apart: bool) -> Host:
    """Give the server its number of cores, and the clients the others or all."""
    needed = number + 1 if wants_apart else number
    if len(ordered) < needed:
        raise UsageError(
            f"server_host.cores = {number} needs {needed} cores, of which the run has "
            f"{len(ordered)}: use fewer, or a larger machine"
        )
    server, others = frozenset(ordered[-number:]), frozenset(ordered[:-number])
    return Host(
        server_cpus=server,
        client_cpus=others if wants_apart else server | others,
        observer_cpus=others or server,
        is_server_fixed=True,
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
