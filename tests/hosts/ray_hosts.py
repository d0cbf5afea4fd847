"""Hosts of a Ray cluster as network namespaces, each with a raylet and a hostname."""

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from autostrada.machine.network import in_namespace, new_namespace, run

NETWORK = "10.180.0"
"""First part of the addresses, of a private network."""

RAY_FILES = Path("/tmp/ray")
RAY = Path(sys.executable).with_name("ray")
HEAD_PORT, CLIENT_PORT = 6379, 10001

AUTHENTICATION = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}

START_LIMIT_S = 60
"""Time until a raylet answers, which only a defect reaches."""

OPTIONS = (
    "--num-cpus=1",
    "--object-store-memory=100000000",
    "--disable-usage-stats",
    "--min-worker-port=61000",
    "--max-worker-port=61999",
    "--block",
)


class RayHost:
    """A network namespace; with a raylet if it is a host of the cluster."""

    def __init__(self, name: str, address: str, namespace: int, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.address = address
        self.namespace = namespace
        self.raylet: subprocess.Popen | None = None

    def start(self, *command: object, **options: object) -> subprocess.Popen:
        """Start a program in a process group, with the host's name and files of Ray."""
        script = (
            f'hostname {self.name}; mount --bind {self.folder} {RAY_FILES}; exec "$@"'
        )
        isolated = ["unshare", "--uts", "--mount", "sh", "-c", script, "sh"]
        with in_namespace(self.namespace):
            return subprocess.Popen(
                [*isolated, *map(str, command)],
                start_new_session=True,
                env=os.environ | AUTHENTICATION,
                **options,
            )

    def run(
        self, *command: object, limit_s: float = 120
    ) -> subprocess.CompletedProcess:
        """Run a program in the namespace until it ends."""
        process = self.start(
            *command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        output, errors = process.communicate(timeout=limit_s)
        return subprocess.CompletedProcess(command, process.returncode, output, errors)

    def processes(self) -> list[int]:
        """Return the processes in the namespace."""
        inode = os.fstat(self.namespace).st_ino
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if (folder / "ns/net").stat().st_ino == inode:
                    found.append(int(folder.name))
            except OSError:
                continue
        return found

    def kill_all(self) -> None:
        """Kill all processes in the namespace, as when the machine loses its power."""
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        if self.raylet:
            self.raylet.wait()


@contextmanager
def network(count: int, folder: Path) -> Iterator[tuple[RayHost, list[RayHost]]]:
    """Create a namespace for a server, and one for each host, on a bridge."""
    RAY_FILES.mkdir(exist_ok=True)
    with ExitStack() as stack:
        bridge = stack.enter_context(new_namespace())
        hosts = []
        with in_namespace(bridge):
            run(["ip", "link", "add", "bridge0", "type", "bridge"])
            run(["ip", "link", "set", "bridge0", "up"])
        for index in range(count + 1):
            name = f"host{index}" if index else "server"
            namespace = stack.enter_context(new_namespace())
            files = folder / name
            files.mkdir()
            host = RayHost(name, f"{NETWORK}.{index + 1}", namespace, files)
            stack.callback(host.kill_all)
            peer = f"peer name eth0 netns /proc/{os.getpid()}/fd/{namespace}"
            with in_namespace(bridge):
                run(f"ip link add {name} type veth {peer}".split())
                run(f"ip link set {name} master bridge0 up".split())
            with in_namespace(namespace):
                run(f"ip address add {host.address}/24 dev eth0".split())
                run(["ip", "link", "set", "lo", "up"])
                run(["ip", "link", "set", "eth0", "up"])
            hosts.append(host)
        yield hosts[0], hosts[1:]


def start_raylet(host: RayHost, head: RayHost, cpus: str | None = None) -> None:
    """Start a raylet on a host, on these CPUs; the head of the cluster is the first."""
    place = (
        [
            "--head",
            f"--port={HEAD_PORT}",
            f"--ray-client-server-port={CLIENT_PORT}",
            "--include-dashboard=false",
        ]
        if host is head
        else [f"--address={head.address}:{HEAD_PORT}"]
    )
    place.append(f"--node-ip-address={host.address}")
    log = host.folder / "raylet.log"
    with log.open("w") as output:
        bound = ["taskset", "--cpu-list", cpus] if cpus else []
        host.raylet = host.start(
            *bound, RAY, "start", *place, *OPTIONS, stdout=output, stderr=output
        )
    limit_s = time.monotonic() + START_LIMIT_S
    while "Ray runtime started" not in log.read_text():
        assert host.raylet.poll() is None, log.read_text()
        assert time.monotonic() < limit_s, f"{host.name} did not start"
        time.sleep(0.1)
