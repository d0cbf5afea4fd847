"""The hosts of a Ray cluster, each with an agent that runs an engine."""

import io
import logging
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from autostrada.engine.process import engine_version
from autostrada.errors import UsageError
from autostrada.hosts import agent
from autostrada.hosts.clock import ClockOffset, clock_offset

CONNECT_LIMIT_S = 5.0
"""Time until the cluster accepts a connection."""

CONNECT_ATTEMPTS = 2
"""How often the head may try to start a process for this client."""

READY_LIMIT_S = 30.0
"""Time until each host has an agent and a copy of the engine."""

ANSWER_LIMIT_S = 10.0
"""Time until a host has answered anything but a poll."""

RECONNECT_LIMIT_S = "10"
"""Time until a head to which the connection was lost is given up."""

EXCHANGES = 20
"""Number of exchanges in which a host's clocks are read, if there is time."""

CLOCKS_LIMIT_S = 10.0
"""Time after which the clocks of no host are read a second time."""


@dataclass(slots=True, eq=False)
class ClusterHost:
    """A host with an agent."""

    agent: Any
    """The handle of an actor of ``Agent``."""

    more: Callable[[], Any]
    """Starts another actor on the host."""

    name: str = ""
    lost: str | None = None
    """Why it is lost; ``None`` if it is not."""


class Cluster:
    """Hosts that have an agent."""

    def __init__(
        self, ray: Any, hosts: list[ClusterHost], addresses: Sequence[str]
    ) -> None:
        self._ray = ray
        self._addresses = addresses
        self.hosts = hosts

    def ask(
        self,
        hosts: Sequence[ClusterHost],
        method: str,
        arguments: Callable[[ClusterHost], Sequence[object]] = lambda _: (),
        limit_s: float = ANSWER_LIMIT_S,
    ) -> dict[ClusterHost, Any]:
        """
        Call a method of the agents of those hosts that are not lost.

        Return their answers; a host without one after ``limit_s`` is lost.
        """
        ends_s = time.monotonic() + limit_s
        calls, answers = {}, {}
        for host in hosts:
            if host.lost is None:
                words = arguments(host)
                with self._noted(host):
                    calls[host] = getattr(host.agent, method).remote(*words)
        for host, reference in calls.items():
            left_s = max(ends_s - time.monotonic(), 0.1)
            if host.lost is None:
                with self._noted(host):
                    answers[host] = self._ray.get(reference, timeout=left_s)
        return answers

    @contextmanager
    def _noted(self, host: ClusterHost) -> Iterator[None]:
        """Note why a host is lost, if it is."""
        try:
            yield
        except self._ray.exceptions.GetTimeoutError:
            host.lost = "it does not answer"
        except self._ray.exceptions.RayTaskError as error:
            host.lost = f"its agent failed: {error.cause}"
        except self._ray.exceptions.RayError as error:
            host.lost = f"its agent ended: {type(error).__name__}"
        except Exception:
            # Ray's client has no class for its errors of a lost connection, and without
            # one each further call would try to start Ray on this machine.
            for each in self.hosts:
                each.lost = each.lost or "the cluster does not answer"

    def own_address(self) -> str:
        """
        Return the IPv4 address of this machine by which it sends to the hosts.

        Raises:
            UsageError: it does not reach them by IPv4.
        """
        address = self._addresses[0]
        with socket.socket(type=socket.SOCK_DGRAM) as towards:
            try:
                towards.connect((address, 9))
            except OSError as error:
                raise UsageError(
                    f"--place: {address} is not reached by IPv4 ({error}): give its "
                    f"raylet such an address (--node-ip-address)"
                ) from error
            return str(towards.getsockname()[0])

    def put(self, value: object) -> Any:
        """Send a value to the cluster once; return what stands for it in calls."""
        return self._ray.put(value)

    def clocks(
        self, hosts: Sequence[ClusterHost]
    ) -> dict[ClusterHost, tuple[ClockOffset, ClockOffset]]:
        """
        Compare the clocks of those hosts that answer with this machine's monotonic one.

        Return the offsets of the monotonic and of the real-time clock of each.
        """
        # Those that do not answer are lost together, and not each after a limit.
        self.ask(hosts, "clocks")
        exchanges: dict[ClusterHost, list[tuple[int, tuple[int, int], int]]] = {}
        ends_s = time.monotonic() + CLOCKS_LIMIT_S
        for index, host in enumerate([*hosts] * EXCHANGES):
            if index >= len(hosts) and time.monotonic() > ends_s:
                break
            asked_ns = time.monotonic_ns()
            for shown in self.ask([host], "clocks").values():
                exchange = (asked_ns, shown, time.monotonic_ns())
                exchanges.setdefault(host, []).append(exchange)
        return {
            host: (
                clock_offset((asked, shown[0], now) for asked, shown, now in found),
                clock_offset((asked, shown[1], now) for asked, shown, now in found),
            )
            for host, found in exchanges.items()
        }


@contextmanager
def open_cluster(
    address: str, wanted_count: int | None, engine: Path, *, without_own: bool = False
) -> Iterator[Cluster]:
    """
    Give so many hosts of a cluster, or all, an agent each, which ends with the block.

    ``address`` is one that ``ray.init`` takes. This machine can be left out.

    Raises:
        UsageError: Ray is not installed, the cluster does not answer or has not enough
            hosts, or one of them cannot run the engine.
    """
    # A lost head is given up soon, and statistics of its use do not belong to a load.
    os.environ.setdefault("RAY_CLIENT_RECONNECT_GRACE_PERIOD", RECONNECT_LIMIT_S)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise UsageError(
            f"--hosts needs Ray: {sys.executable} -m pip install 'ray[client]'"
        ) from error
    _check_reachable(address)
    _connect(ray, address)
    try:
        # Ray prints what happens to the cluster, and stdout is for the result.
        with redirect_stdout(io.StringIO()):
            addresses = _addresses(ray, without_own=without_own)
            hosts = _hosts(ray, addresses, wanted_count, engine.read_bytes())
            cluster = Cluster(ray, hosts, addresses)
            _identify(cluster, engine_version(engine))
            cluster.hosts.sort(key=lambda host: host.name)
            yield cluster
    finally:
        ray.shutdown()


def _check_reachable(address: str) -> None:
    """Refuse an address at which nothing listens: Ray would wait for minutes."""
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if not colon:
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_LIMIT_S).close()
    except (OSError, ValueError) as error:
        raise UsageError(
            f"--hosts {address} cannot be reached ({error}): give the head of a cluster"
        ) from error


def _connect(ray: Any, address: str) -> None:
    for attempt in range(CONNECT_ATTEMPTS):
        try:
            ray.init(
                address,
                namespace="autostrada",
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
        except Exception as error:
            is_last = attempt + 1 == CONNECT_ATTEMPTS
            if is_last or "Initialization failure" not in str(error):
                lines = str(error).strip().splitlines() or [type(error).__name__]
                is_remote = "Traceback" in str(error)
                cause = lines[-1] if is_remote else " ".join(map(str.strip, lines))
                raise UsageError(f"--hosts {address}: {cause}") from error
        else:
            return


def _addresses(ray: Any, *, without_own: bool) -> list[str]:
    """Return the addresses of those hosts that can have an agent."""
    found = [
        str(node["NodeManagerAddress"])
        for node in ray.nodes()
        if node["Alive"] and node["Resources"].get("CPU", 0) >= 1
    ]
    if without_own and not (found := [each for each in found if not _is_own(each)]):
        raise UsageError("the cluster has no other host than this machine: add one")
    return found


def _is_own(address: str) -> bool:
    with socket.socket() as attempt:
        try:
            attempt.bind((address, 0))
        except OSError:
            return False
    return True


def _hosts(
    ray: Any, addresses: Sequence[str], wanted_count: int | None, engine: bytes
) -> list[ClusterHost]:
    from ray.util.placement_group import placement_group
    from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

    there = len(addresses)
    count = wanted_count or max(there, 1)
    if count > there:
        raise UsageError(f"--hosts: {there} of {count} hosts are there")
    bundles = [{"CPU": 1.0}] * count
    if not wanted_count:
        bundles = [{"CPU": 1.0, f"node:{each}": 0.001} for each in addresses]
    group = placement_group(bundles, strategy="STRICT_SPREAD")
    if not group.wait(timeout_seconds=READY_LIMIT_S):
        raise UsageError(
            f"--hosts: not all of {count} hosts are free within {READY_LIMIT_S:g} s: "
            "another program uses them, or one was lost just now"
        )
    ray.cloudpickle.register_pickle_by_value(agent)
    sent = ray.put(engine)
    actor = ray.remote(num_cpus=1)(agent.Agent)
    places = [PlacementGroupSchedulingStrategy(group, each) for each in range(count)]

    def started(place: Any, cpus: int) -> Any:
        return actor.options(num_cpus=cpus, scheduling_strategy=place).remote(sent)

    return [
        ClusterHost(started(place, 1), partial(started, place, 0)) for place in places
    ]


def _identify(cluster: Cluster, version: str) -> None:
    """Name the hosts, and check that each runs the engine."""
    names: list[str] = []
    found = cluster.ask(cluster.hosts, "probe", limit_s=READY_LIMIT_S)
    for host in cluster.hosts:
        if host.lost:
            raise UsageError(f"--hosts: a host cannot run the agent: {host.lost}")
        probe = found[host]
        names.append(probe["name"])
        count = names.count(probe["name"])
        host.name = probe["name"] if count == 1 else f"{probe['name']}-{count}"
        if not probe["version"].endswith(version):
            raise UsageError(
                f"{host.name} ({probe['architecture']}) cannot run this machine's "
                f"engine: {probe['error']}"
            )
