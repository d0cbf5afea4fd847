"""What separates the ends of a trial: limits of the server's host, and a network."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

from autostrada.engine.plans import ADDRESS
from autostrada.experiment.experiment import Experiment
from autostrada.experiment.server_host import ServerHost
from autostrada.machine.facts import Fact
from autostrada.machine.host import Host, this_host
from autostrada.machine.host_speed import SmallHost, measure
from autostrada.machine.idle import IdleWait
from autostrada.machine.limited_cgroup import LimitedCgroup, Limits, new_limited_cgroup
from autostrada.machine.network import (
    CLIENT_NETWORK,
    SERVER_ADDRESS,
    Network,
    new_bridge,
)
from autostrada.machine.software_aes import software_aes
from autostrada.stats.evidence import EndName


@dataclass(frozen=True, kw_only=True, slots=True)
class Isolation:
    """The limits and the network of one trial; ``None`` for those of the machine."""

    limits: LimitedCgroup | None = None
    """Limits that all server processes share."""

    network: Network | None = None

    def limits_of(self, end: EndName) -> LimitedCgroup | None:
        """Return the limits of an end."""
        return self.limits if end == "server" else None

    def namespace_of(self, end: EndName) -> int | None:
        """Return the descriptor of the network namespace of an end."""
        if self.network is None:
            return None
        return self.network.server if end == "server" else self.network.client


NOT_ISOLATED = Isolation()


@contextmanager
def isolate(
    network: str, host: ServerHost | None, *, is_limited_at_once: bool = False
) -> Iterator[Isolation]:
    """
    Create the network of a trial, and the limits of its servers' host, for the block.

    CPU time is limited when ``limit_cpu_time`` is called, or at once: the engine finds
    out when it starts whether it may poll while it waits.

    Raises:
        UsageError: they cannot be created; the message has the remedy.
    """
    limits = limits_of(host)
    bridge = new_bridge() if network == "bridge" else nullcontext()
    with bridge as ends, new_limited_cgroup(limits) as cgroup:
        if cgroup and is_limited_at_once:
            cgroup.limit_cpu_time()
        yield Isolation(limits=cgroup, network=ends)


def expect_isolation(experiment: Experiment) -> None:
    """
    Check that the limits and the network of an experiment can be created.

    Raises:
        UsageError: they cannot be created; the message has the remedy.
    """
    server_environment(experiment)
    with isolate(experiment.network, experiment.server_host):
        pass


def host_of(experiment: Experiment, cpus: frozenset[int] | None = None) -> Host:
    """
    Divide the cores ``cpus``, or all usable ones, as an experiment needs.

    Raises:
        UsageError: a core is not usable, or there are not enough.
    """
    server_host = experiment.server_host
    return this_host(
        cpus,
        wants_apart=experiment.cores == "apart",
        server_cores=server_host.cores if server_host else None,
    )


def limits_of(host: ServerHost | None) -> Limits | None:
    """Return the limits of a smaller host for the servers; ``None`` without any."""
    if host is None or (host.cpu_share_max, host.memory_bytes_max) == (None, None):
        return None
    return Limits(
        cpu_share_max=host.cpu_share_max, memory_bytes_max=host.memory_bytes_max
    )


def server_environment(experiment: Experiment) -> Mapping[str, str]:
    """
    Return the environment variables that an experiment's servers need for their host.

    Raises:
        UsageError: they are not known for this machine.
    """
    host = experiment.server_host
    return software_aes() if host and host.aes == "software" else {}


def isolation_facts(experiment: Experiment, host: Host) -> dict[str, Fact]:
    """
    Return the network of an experiment's trials, and its servers' host as measured.

    Raises:
        EngineError: a program that measures the host fails.
        UsageError: the limits of the host cannot be set.
    """
    found: dict[str, Fact] = {"network": experiment.network}
    if experiment.server_host is None:
        return found
    IdleWait().wait_until_idle()
    speed = measure(
        SmallHost(
            cpus=host.server_cpus,
            limits=limits_of(experiment.server_host),
            environment=server_environment(experiment),
        )
    )
    set_by_user = experiment.server_host.model_dump(exclude_none=True)
    measured = {
        "cipher_bytes_per_s": round(speed.cipher_bytes_per_s),
        "loop_share": round(speed.loop_share, 3),
        "memory_bytes_reached": speed.memory_bytes_reached,
    }
    return {
        **found,
        "cipher_bytes_per_s": round(speed.machine_cipher_bytes_per_s),
        **{
            f"server_host_{name}": fact
            for name, fact in (set_by_user | measured).items()
            if fact is not None
        },
    }


def server_address(experiment: Experiment) -> str:
    """Return the IP address of an experiment's servers."""
    return SERVER_ADDRESS if experiment.network == "bridge" else ADDRESS


def source_network(experiment: Experiment) -> str:
    """Return the first half of the addresses that clients may connect from."""
    return CLIENT_NETWORK if experiment.network == "bridge" else "127.0"
