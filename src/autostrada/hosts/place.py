"""Where the clients of an experiment are, as ``run --place`` says it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from autostrada.errors import UsageError
from autostrada.hosts.clients import ClientHosts
from autostrada.hosts.cluster import open_cluster

OTHERS = "others"
"""Name for all hosts but that of the servers."""


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
        with open_cluster(self.cluster, None, engine, without_own=True) as cluster:
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
