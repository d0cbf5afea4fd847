"""
Counts what the coordination of hosts takes: ``python tests/hosts/coordination.py``.

Hosts are network namespaces on this machine. The program that drives them has one of
its own, so that all of its traffic is of Ray. Then one engine carries out the same load
with and without a cluster, in turn, on the same core.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ray_hosts import CLIENT_PORT, HEAD_PORT, RayHost, network, start_raylet

from autostrada.hosts.cluster import open_cluster
from autostrada.hosts.load import DividedLoad, plan_of

ENGINE = Path(sys.executable).with_name("autostrada-engine")
COUNTS = (1, 2, 4, 8)
ROUNDS = 12
LOAD_S = 10
PORT = 9001


def traffic() -> tuple[int, int]:
    """Return the bytes and packets of this namespace, of both directions."""
    devices = Path("/proc/thread-self/net/dev").read_text().splitlines()
    (fields,) = (device.split() for device in devices if "eth0:" in device)
    return int(fields[1]) + int(fields[9]), int(fields[2]) + int(fields[10])


def drive(address: str, count: int, options: list[str]) -> dict[str, float]:
    """Load from hosts of a cluster; return what that took."""
    begun_ns = time.monotonic_ns()
    plan = plan_of(ENGINE, options)
    polls = []
    with open_cluster(address, count, ENGINE) as cluster:
        load = DividedLoad(cluster, plan, lambda _: polls.append(traffic()))
        text = load.text()
    lines = [json.loads(line) for line in text.splitlines()]
    hosts = [line for line in lines if line["event"] == "host"]
    results = [line for line in lines if line["event"] == "result"]
    merging_ns = time.monotonic_ns()
    merge = [ENGINE, "load", *options, "--merge", "-", "--json", "-"]
    subprocess.run(merge, input=text, text=True, capture_output=True, check=True)
    # Seconds in which agents are polled, and nothing else.
    first, last = polls[len(polls) // 4], polls[len(polls) // 4 * 3]
    each = count * (len(polls) // 4 * 3 - len(polls) // 4)
    return {
        # One machine, and therefore one clock.
        "first connection s": min(one["opened_ns"] for one in results) / 1e9
        - begun_ns / 1e9,
        "merge ms": (time.monotonic_ns() - merging_ns) / 1e6,
        "bytes/host/s": (last[0] - first[0]) / each,
        "packets/host/s": (last[1] - first[1]) / each,
        "lines kB/host": len(text) / count / 1e3,
        "begun late ms": max(host["begun_late_ns"] for host in hosts) / 1e6,
        "clock error ms": max(host["clock_error_ns"] for host in hosts) / 1e6,
        "completed": sum(one["exchange"]["completed"] for one in results),
    }


def driven(
    driver: RayHost, address: str, count: int, *options: str
) -> dict[str, float]:
    """Drive hosts from a namespace, as a program of its own."""
    done = driver.run(sys.executable, __file__, address, count, *options)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def alone(host: RayHost, *options: str) -> float:
    """Carry out the load with one engine on a host; return the messages answered."""
    output = host.run(
        "taskset", "1", ENGINE, "load", *options, "--json", "-", "--plain"
    )
    completed: float = json.loads(output.stdout)["exchange"]["completed"]
    return completed


def main() -> None:
    """Print what each number of hosts takes, and the overhead on one of them."""
    with (
        tempfile.TemporaryDirectory() as folder,
        network(max(COUNTS) + 1, Path(folder)) as (driver, [server, *hosts]),
    ):
        for host in hosts:
            start_raylet(host, hosts[0], cpus="0")
        serve = ["taskset", "2", ENGINE, "serve", "--listen", f"0.0.0.0:{PORT}"]
        server.start(*serve, stdout=subprocess.DEVNULL)
        url = f"ws://{server.address}:{PORT}/echo"
        direct = f"{hosts[0].address}:{HEAD_PORT}"
        remote = f"ray://{hosts[0].address}:{CLIENT_PORT}"
        times = ["-d", f"{LOAD_S}s", "--warm-up", "0s"]
        for place, address in ((driver, remote), (hosts[0], direct)):
            for count in COUNTS:
                load = [url, "-c", str(10 * count), "-r", f"{100 * count}/s", *times]
                print(address, count, driven(place, address, count, *load), flush=True)
        ratios = []
        load = [url, "-c", "64", "-d", "4s", "--warm-up", "1s"]
        for _ in range(ROUNDS):
            answered = alone(hosts[0], *load)
            ratios.append(driven(hosts[0], direct, 1, *load)["completed"] / answered)
            print(f"{ratios[-1]:.3f}", end=" ", flush=True)
        print(f"\nwith a cluster: {statistics.median(ratios):.3f} of the messages")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        address, count, *options = sys.argv[1:]
        print(json.dumps(drive(address, int(count), options)))
    else:
        main()
