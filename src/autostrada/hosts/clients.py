"""Clients of a trial on other hosts than its servers."""

import json
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autostrada.errors import EngineError, UsageError
from autostrada.hosts.clock import ClockOffset
from autostrada.hosts.cluster import Cluster, ClusterHost, connected
from autostrada.hosts.load import POLL_LIMIT_S, with_files

POLLED_EVERY_S = 0.2
"""Time between two polls of an engine."""

END_LIMIT_S = 10.0
"""Time in which an engine ends after its stdin."""

OTHERS = "others"
"""Name for all hosts but that of the servers."""


class ClientHosts:
    """The hosts on which engines are the clients of trials."""

    def __init__(self, cluster: Cluster, hosts: Sequence[ClusterHost]) -> None:
        self._cluster = cluster
        self._agents = list(hosts)
        self._offsets: dict[str, ClockOffset] = {}
        self.hosts = hosts
        self.server_address = cluster.own_address
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
        """
        Compare the clocks of all hosts with that of this machine.

        Raises:
            EngineError: a host is lost.
        """
        for host, (monotonic, _) in self._cluster.clocks(self.hosts).items():
            self._offsets[host.name] = monotonic
        for host in self.hosts:
            _expect_there(host)

    def client(self, index: int) -> "RemoteEngine":
        """Return the engine that is the client with this index; hosts take turns."""
        while len(self._agents) <= index:
            turn = self.hosts[len(self._agents) % len(self.hosts)]
            self._agents.append(self._cluster.another(turn))
        host = self._agents[index]
        return RemoteEngine(self._cluster, host, self._offsets[host.name])


class RemoteEngine:
    """An engine on another host, which a trial uses as it uses a ``Process``."""

    def __init__(self, cluster: Cluster, host: ClusterHost, clock: ClockOffset) -> None:
        self._cluster = cluster
        self._host = host
        self._clock = clock
        self._lines: deque[str] = deque()
        self._status: int | None = None
        self._has_started = False
        self.stderr_tail = ""
        """The last lines that the engine has written to stderr."""

    def send(self, text: str) -> None:
        """Start the engine with a plan."""
        files: dict[str, bytes] = {}
        plan = with_files(json.loads(text), files)
        plan.pop("observer", None)
        # An engine that awaits its start ends with its stdin.
        plan |= {"awaits_start": True, "clock_ahead_ns": self._clock.offset_ns}
        self._has_started = True
        self._ask("start", json.dumps(plan), files)
        self._ask("begin", 0)

    def read_line(self, deadline_s: float) -> str | None:
        """
        Return the next line of stdout, or ``None`` at its end.

        Raises:
            TimeoutError: ``deadline_s`` (of ``time.monotonic``) is reached.
            EngineError: the host is lost.
        """
        while not self._lines:
            if self._status is not None:
                return None
            self._poll(deadline_s)
        return self._lines.popleft()

    def wait(self, deadline_s: float) -> int:
        """
        Wait for the exit; return the status.

        Raises:
            TimeoutError: ``deadline_s`` (of ``time.monotonic``) is reached.
            EngineError: the host is lost.
        """
        while self._status is None:
            self._poll(deadline_s)
        return self._status

    def status(self) -> int | None:
        """Return the exit status; ``None`` while the engine runs."""
        return self._status

    def has_group(self) -> bool:
        """Whether the engine has left processes behind; it starts none."""
        return False

    def terminate(self) -> None:
        """End the load, without waiting."""
        self._cluster.ask([self._host], "stop")

    def kill(self) -> None:
        """End the load, without waiting."""
        self.terminate()

    def end(self) -> None:
        """End the engine."""
        if not self._has_started or self._status is not None or self._host.lost:
            return
        self.terminate()
        try:
            self.wait(time.monotonic() + END_LIMIT_S)
        except TimeoutError:
            self._host.lost = "its engine did not end"

    def __enter__(self) -> "RemoteEngine":
        """Return the engine."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the engine."""
        self.end()

    def _poll(self, deadline_s: float) -> None:
        if time.monotonic() >= deadline_s:
            raise TimeoutError
        answer = self._ask("poll")
        self.stderr_tail = "".join(answer["log"]).strip()
        for line in answer["lines"]:
            document = json.loads(line)
            if document["event"] == "result":
                self._lines.append(json.dumps(self._bounded(document)))
            elif document["event"] != "opened":
                self._lines.append(line)
        self._status = answer["status"]
        if self._status is None and not self._lines:
            time.sleep(POLLED_EVERY_S)

    def _bounded(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return a result without delivery times below the error of the clocks."""
        times = result["delivery_time_ns"] or []
        below = sum(count for low, count in times if low < self._clock.error_ns)
        if times and 2 * below > sum(count for _, count in times):
            return {**result, "delivery_time_ns": None}
        return result

    def _ask(self, method: str, *arguments: object) -> Any:
        answers = self._cluster.ask(
            [self._host], method, lambda _: arguments, limit_s=POLL_LIMIT_S
        )
        _expect_there(self._host)
        return answers[self._host]


def _expect_there(host: ClusterHost) -> None:
    if host.lost:
        raise EngineError(
            f"{host.name} is lost: {host.lost}; finished trials are stored: use "
            f"--resume"
        )


@dataclass(frozen=True, slots=True)
class Place:
    """Where the clients of a run are."""

    cluster: str
    """Address of the cluster."""

    clients: tuple[str, ...]
    """Names of hosts, or ``others``."""

    @contextmanager
    def taken(self, engine: Path) -> Iterator[ClientHosts]:
        """
        Connect to the hosts for the duration of the block.

        Raises:
            UsageError: a host is not there, or cannot run the engine.
        """
        with connected(self.cluster, None, engine, without_own=True) as cluster:
            there = {host.name: host for host in cluster.hosts}
            names = tuple(there) if self.clients == (OTHERS,) else self.clients
            for name in names:
                if name not in there:
                    raise UsageError(
                        f"--place: {name} is not one of the cluster's other hosts: "
                        f"{', '.join(there)}"
                    )
            yield ClientHosts(cluster, [there[name] for name in names])


def parse_place(text: str, cluster: str, this_name: str) -> Place:
    """
    Parse where servers and clients are: ``server=host1,clients=others``.

    ``this_name`` is that of this machine, where servers are. Several hosts of clients
    are separated by ``+``.

    Raises:
        UsageError: it is neither, or names another host for servers.
    """
    ends = dict(part.partition("=")[::2] for part in text.split(","))
    server, clients = ends.pop("server", this_name), ends.pop("clients", "")
    if ends or not clients or not all(clients.split("+")):
        raise UsageError(
            f"--place {text} is not such as clients=others or "
            f"server={this_name},clients=host1+host2"
        )
    if server != this_name:
        raise UsageError(
            f"--place: servers run on this machine, which is {this_name}: run it on "
            f"{server}"
        )
    return Place(cluster, tuple(clients.split("+")))
