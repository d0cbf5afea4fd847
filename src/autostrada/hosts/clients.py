"""Clients of a trial on other hosts than its servers."""

import io
import json
import tarfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from autostrada.contestants.build import build_of
from autostrada.errors import EngineError
from autostrada.hosts.clock import (
    ClockOffset,
    contestant_by_own_clock,
    engine_by_own_clock,
)
from autostrada.hosts.cluster import Cluster, ClusterHost
from autostrada.hosts.load import POLL_LIMIT_S, with_files
from autostrada.machine.process import Command
from autostrada.store.record import MissingMetric

POLLED_EVERY_S = 0.2
"""Time between two polls of a client."""

END_LIMIT_S = 10.0
"""Time in which a client ends."""

UNPACK_LIMIT_S = 120.0
"""Time in which the build of a contestant is sent and unpacked."""

TRUSTED = "SSL_CERT_FILE"
"""Variable of a contestant with the path of a CA: docs/contract.md, 3.1."""


class ClientHosts:
    """The hosts on which clients of trials run."""

    def __init__(self, cluster: Cluster, hosts: Sequence[ClusterHost]) -> None:
        self._cluster = cluster
        self._agents = list(hosts)
        self._offsets: dict[str, ClockOffset] = {}
        self._archives: dict[Path, Any] = {}
        self._folders: dict[tuple[str, Path], str] = {}
        self.hosts = hosts
        self.missing_metrics: set[MissingMetric] = set()
        """What clients of the trial measured and cannot be given, with the reasons."""

        self.server_address = cluster.own_address()
        self.read_clocks()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the hosts."""
        return tuple(host.name for host in self.hosts)

    @property
    def clock_error_ns(self) -> int:
        """How exactly the clocks of all hosts are known, in nanoseconds."""
        return max(offset.error_ns for offset in self._offsets.values())

    def read_clocks(self) -> None:
        """Compare the clocks of all hosts with that of this machine, before a trial."""
        self.missing_metrics.clear()
        for host, (monotonic, _) in self._cluster.clocks(self.hosts).items():
            self._offsets[host.name] = monotonic
        for host in self.hosts:
            _expect_there(host)

    def client(self, index: int, contestant: Command | None) -> "RemoteClient":
        """
        Return the client with this index; hosts take turns.

        It is the engine, or a contestant with a command. The build of a contestant is
        sent to each host once.
        """
        while len(self._agents) <= index:
            turn = self.hosts[len(self._agents) % len(self.hosts)]
            self._agents.append(replace(turn, agent=turn.more()))
        host = self._agents[index]
        if contestant:
            contestant = self._moved(contestant, host)
        offset = self._offsets[host.name]
        return RemoteClient(
            self._cluster, host, offset, contestant, self.missing_metrics.add
        )

    def _moved(self, command: Command, host: ClusterHost) -> Command:
        """Return a command of a contestant as it runs on a host."""
        build, name = build_of(command.folder)
        there = self._folders.get((host.name, build), "")
        if not there:
            there = self._asked(host, "unpacked", name)
        if not there:
            if build not in self._archives:
                self._archives[build] = self._cluster.put(_packed(build))
            there = self._asked(host, "unpacked", name, self._archives[build])
        self._folders[host.name, build] = there

        def moved(text: str) -> str:
            return text.replace(str(build), there)

        return replace(
            command,
            arguments=[moved(argument) for argument in command.arguments],
            folder=Path(moved(str(command.folder))),
            environment={
                key: moved(value) for key, value in command.environment.items()
            },
        )

    def _asked(self, host: ClusterHost, method: str, *arguments: object) -> str:
        answers = self._cluster.ask(
            [host], method, lambda _: arguments, limit_s=UNPACK_LIMIT_S
        )
        _expect_there(host)
        return str(answers[host])


class RemoteClient:
    """
    A client on another host, which a trial uses as it uses a ``Process``.

    Each method may raise an ``EngineError``, if the host is lost.
    """

    def __init__(
        self,
        cluster: Cluster,
        host: ClusterHost,
        clock: ClockOffset,
        contestant: Command | None,
        leave_out: Callable[[MissingMetric], None],
    ) -> None:
        self._cluster = cluster
        self._host = host
        self._leave_out = leave_out
        self._clock = clock
        self._contestant = contestant
        self._lines: deque[str] = deque()
        self._status: int | None = None
        self._has_started = False
        self.stderr_tail = ""
        """The last lines that the client has written to stderr."""

    def send(self, text: str) -> None:
        """
        Start the engine with a plan, or a contestant, whatever is sent to it.

        Raises:
            EngineError: it cannot be started, or the host is lost.
        """
        files: dict[str, bytes] = {}
        self._has_started = True
        if self._contestant is None:
            plan = with_files(json.loads(text), files)
            # An engine that awaits its start ends with its stdin.
            plan |= {"awaits_start": True, "clock_ahead_ns": self._clock.offset_ns}
            self._ask("start", json.dumps(plan), files)
            self._ask("begin", 0)
            return
        command = self._contestant
        environment = dict(command.environment)
        if trusted := environment.get(TRUSTED):
            files[TRUSTED] = Path(trusted).read_bytes()
            environment[TRUSTED] = TRUSTED
        fault = self._ask(
            "start_client",
            [*command.arguments],
            str(command.folder),
            environment,
            files,
        )
        if fault:
            raise EngineError(
                f"{command.arguments[0]} cannot be started on {self._host.name}: "
                f"{fault}; install what autostrada doctor asks for on this machine"
            )

    def read_line(self, deadline_s: float) -> str | None:
        while not self._lines:
            if self._status is not None:
                return None
            self._poll(deadline_s)
        return self._lines.popleft()

    def wait(self, deadline_s: float) -> int:
        while self._status is None:
            self._poll(deadline_s)
        return self._status

    def status(self) -> int | None:
        return self._status

    def has_group(self) -> bool:
        """Whether processes outlive the client; the agent kills those that do."""
        return False

    def terminate(self) -> None:
        method = "kill" if self._contestant else "stop"
        self._cluster.ask([self._host], method)

    def kill(self) -> None:
        self.terminate()

    def end(self) -> None:
        """End the client and the processes that it started."""
        if not self._has_started or self._status is not None or self._host.lost:
            return
        self.terminate()
        try:
            self.wait(time.monotonic() + END_LIMIT_S)
        except TimeoutError:
            self._cluster.ask([self._host], "kill")

    def __enter__(self) -> "RemoteClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def _poll(self, deadline_s: float) -> None:
        if time.monotonic() >= deadline_s:
            raise TimeoutError
        answer = self._ask("poll")
        self.stderr_tail = "".join(answer["log"]).strip()
        for line in answer["lines"]:
            if (document := _object(line)) is None:
                self._lines.append(line)
            elif document.get("event") == "result":
                self._lines.append(json.dumps(self._by_own_clock(document)))
            elif document.get("event") != "opened":
                self._lines.append(line)
        self._status = answer["status"]
        if self._status is None and not self._lines:
            time.sleep(POLLED_EVERY_S)

    def _by_own_clock(self, result: dict[str, Any]) -> dict[str, Any]:
        by_clock = contestant_by_own_clock if self._contestant else engine_by_own_clock
        shown, reason = by_clock(result, self._clock)
        if reason:
            times = MissingMetric(metric="client.latency_ns", reason=reason)
            self._leave_out(times)
        return shown

    def _ask(self, method: str, *arguments: object) -> Any:
        answers = self._cluster.ask(
            [self._host], method, lambda _: arguments, limit_s=POLL_LIMIT_S
        )
        _expect_there(self._host)
        return answers[self._host]


def _object(line: str) -> dict[str, Any] | None:
    """Return a line as an object; ``None`` if it is none, which its reader refuses."""
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _packed(folder: Path) -> bytes:
    """Return an archive of a folder."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz", compresslevel=1) as packing:
        packing.add(folder, arcname="")
    return written.getvalue()


def _expect_there(host: ClusterHost) -> None:
    if host.lost:
        raise EngineError(
            f"{host.name} is lost: {host.lost}; finished trials are stored: use "
            f"--resume"
        )
