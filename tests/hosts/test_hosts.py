"""
A load and clients from four hosts of a Ray cluster, and what happens if one is lost.

Each host is a network namespace with a raylet; the server and the program that drives
them are in a fifth. Real Ray and real engines.
"""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from ray_hosts import CLIENT_PORT, network, start_raylet

from autostrada.errors import UsageError
from autostrada.machine.network import entered, run

COMMAND = Path(sys.executable).with_name("autostrada")
ENGINE = Path(sys.executable).with_name("autostrada-engine")
PORT = 9001
ENDED_LIMIT_S = 60
"""Time until all engines of a driver that was killed have ended; a defect's."""


class Cluster:
    """Four hosts, and a server that they load."""

    def __init__(self, server, hosts):
        self.server = server
        self.hosts = hosts
        self.url = f"ws://{server.address}:{PORT}/echo"
        self.address = f"ray://{hosts[0].address}:{CLIENT_PORT}"

    def command(self, *options, name="load", address=None):
        hosts = ["--hosts", address or self.address]
        return [COMMAND, name, self.url, "-c", "8", *hosts, *options]

    def run(self, *options, **more):
        return self.server.run(*self.command(*options, **more))

    @contextmanager
    def started(self, *options, rate=800, seconds=8, phase="running"):
        """Start a load; it is running when each host has received messages."""
        load = ["-r", f"{rate}/s", "-d", f"{seconds}s", "--warm-up", "0s", "--plain"]
        command = self.command("--no-save", *load, *options)
        pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
        with self.server.start(*command, **pipes, text=True) as process:
            try:
                for line in process.stderr:
                    has_all = line.count(phase) == len(self.hosts)
                    if has_all and (phase == "opening" or " 0 messages" not in line):
                        break
                yield process
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)

    def engines(self):
        return [
            pid
            for host in self.hosts
            for pid in host.processes()
            if "load\0--plan" in command_line(pid)
        ]


def command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


@contextmanager
def agent_ended(host):
    for pid in host.processes():
        if "ray::Agent" in command_line(pid):
            os.kill(pid, signal.SIGKILL)
    yield


def set_link(host, state):
    with entered(host.namespace):
        run(["ip", "link", "set", "eth0", state])


@contextmanager
def unplugged(host):
    set_link(host, "down")
    yield
    set_link(host, "up")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    try:
        with network(4, tmp_path_factory.mktemp("hosts")) as (server, hosts):
            for host in hosts:
                start_raylet(host, hosts[0])
            serve = [ENGINE, "serve", "--listen", f"0.0.0.0:{PORT}"]
            with server.start(*serve, stdout=subprocess.PIPE) as served:
                assert b"ready" in served.stdout.readline()
                yield Cluster(server, hosts)
                served.kill()
    except UsageError as error:
        pytest.skip(str(error))


def test_hosts_divide_a_load_exactly(cluster, tmp_path):
    page, file = tmp_path / "load.html", tmp_path / "load.json"
    load = ["-r", "1001/s", "-d", "2s", "--warm-up", "1s", "--no-save"]
    users = tmp_path / "users.csv"
    users.write_text("name\na\nb\n")
    more = ["--users", users, "--source", "auto"]
    done = cluster.run(*load, *more, "--html", page, "--json", file)
    assert done.returncode == 0, done.stderr
    assert "8 opened" in done.stdout
    result = json.loads(file.read_text())
    hosts = result["hosts"]
    assert [host["host"] for host in hosts] == ["host1", "host2", "host3", "host4"]
    assert [host["connections"] for host in hosts] == [2, 2, 2, 2]
    exchange = result["exchange"]
    due = exchange["sent"] + exchange["unsent"] + exchange["overdue"]
    assert due == 2002
    assert sum(host["messages"] for host in hosts) == exchange["completed"]
    assert all(host["clock_error_ns"] > 0 for host in hosts)
    assert all(host["begun_late_ns"] >= 0 for host in hosts)
    text = page.read_text()
    assert "host4" in text
    assert "not judged" not in text


def test_find_searches_with_all_hosts(cluster):
    search = ["--steps", "2", "--step-time", "1s", "--settle", "0s", "--repeats", "1"]
    limits = ["--from", "100", "--to", "200"]
    done = cluster.run(
        "--objective", "errors<50%", *limits, *search, name="find", address=None
    )
    assert done.returncode in {0, 3}, done.stderr
    assert "at least 200 messages/s" in done.stdout


@pytest.mark.parametrize(
    ("options", "address", "cause"),
    [
        (["--host-count", "9"], None, "4 of 9 hosts are there"),
        ([], "ray://10.180.0.1:1", "cannot be reached"),
        (["--watch", "1"], None, "does not go with --hosts"),
        (["--users", "/nothing.csv"], None, "/nothing.csv"),
        (["--source", "10.180.0.2"], None, "10.180.0.2 is no address of this machine"),
    ],
)
def test_wrong_options_are_refused_in_one_line(cluster, options, address, cause):
    done = cluster.run(*options, address=address)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert cause in line


EXPERIMENT = """
title = "Apart"
question = "Do clients on other hosts work?"
repetitions = 2
warm_ups = 0
limit_s = 30
ends = ["apart"]

[[workload]]
name = "secure"
kind = "echo"
tls = true
payload_bytes = 20
in_flight = 1
connections = 8
warm_up_s = 0
window_s = 0.5

[[workload]]
name = "clock"
kind = "feed"
feed = "clock"
every_ms = 50
processes = 3
connections = 2
seconds = 2

[[workload]]
name = "library"
kind = "reply"
clients = ["python-websockets"]
connections = 4
warm_up_s = 0
window_s = 0.5
"""


def run_command(cluster, folder, *options):
    file = folder / "apart.toml"
    file.write_text(EXPERIMENT)
    place = ["--hosts", cluster.address, "--no-calibration", "--verbose"]
    return [COMMAND, "run", file, *place, "--store", folder / "store", *options]


def test_clients_of_an_experiment_are_on_the_named_hosts(cluster, tmp_path):
    command = run_command(
        cluster, tmp_path, "--seed", "1", "--place", "server=server,clients=host3+host4"
    )
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    seen = set()
    with cluster.server.start(*command, **pipes, text=True) as process:
        while process.poll() is None and len(seen) < 2:
            for host in cluster.hosts:
                if any("load\0--plan" in command_line(pid) for pid in host.processes()):
                    seen.add(host.name)
        output, errors = process.communicate()
    assert process.returncode == 0, errors
    assert seen == {"host3", "host4"}
    where = "The clients were on other hosts than the servers: host3, host4."
    assert where in " ".join(output.split())
    assert where in (tmp_path / "apart-1.html").read_text()
    assert "6/6" in errors
    assert "failed" not in errors
    assert not cluster.engines()


def test_a_run_that_lost_a_host_is_resumed(cluster, tmp_path):
    place = ("--place", "clients=host2+host4")
    command = run_command(cluster, tmp_path, *place, "--set", "clock.seconds=60")
    only = ("--workload", "clock")
    with cluster.server.start(*command, *only, stderr=subprocess.PIPE) as process:
        while not (engines := cluster.engines()):
            assert process.poll() is None
        for pid in cluster.hosts[1].processes():
            if "ray::Agent" in command_line(pid):
                os.kill(pid, signal.SIGKILL)
        *_, last = process.stderr.read().decode().splitlines()
    assert engines
    assert process.returncode == 1
    assert "host2 is lost: its agent ended" in last
    assert "use --resume" in last
    assert not cluster.engines()
    resumed = run_command(cluster, tmp_path, "--resume")
    done = cluster.server.run(*resumed, "--place", "clients=host4")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "are on hosts host2, host4: give the same --place" in line


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        ([], "apart needs clients on other hosts: add --place clients=others"),
        (
            ["--place", "server=host1,clients=others"],
            "which is server: run it on host1",
        ),
        (["--place", "clients=host9"], "host1, host2, host3, host4"),
    ],
)
def test_wrong_places_are_refused_in_one_line(cluster, tmp_path, options, cause):
    done = cluster.server.run(*run_command(cluster, tmp_path, *options))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert cause in line
    assert not (tmp_path / "store").exists()
def test_what_engines_warn_of_has_their_hosts(cluster):
    refusing = ["--resolve", cluster.hosts[0].address, "-d", "1s", "--no-save"]
    done = cluster.run("-c", "44k", *refusing)
    assert done.returncode == 1
    (warning,) = [line for line in done.stderr.splitlines() if "ports" in line]
    assert warning.startswith("autostrada: all hosts: 11000 connections use many of")


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_an_interrupted_load_reports_what_it_measured(cluster, number, status):
    with cluster.started(seconds=60) as process:
        process.send_signal(number)
        output, errors = process.communicate()
    assert process.returncode == status
    assert "the load was interrupted" in errors
    assert "host4: 2 connections" in output
    assert not cluster.engines()


def test_a_host_whose_agent_ended_is_named_and_the_others_finish(cluster):
    with cluster.started() as process, agent_ended(cluster.hosts[3]):
        output, errors = process.communicate()
    assert process.returncode == 1
    assert "a host was lost: reported, not judged" in errors
    assert "host4: lost, its agent ended" in output
    assert "host3: 2 connections, 1,600 messages" in output
    assert not cluster.engines()


@pytest.mark.parametrize(
    ("lose", "cause"),
    [(agent_ended, "its agent ended"), (unplugged, "it does not answer")],
)
def test_a_host_that_is_lost_while_others_open_is_named(cluster, lose, cause):
    slow = ["--connect-rate", "2/s"]
    with (
        cluster.started(*slow, seconds=2, phase="opening") as process,
        lose(cluster.hosts[3]),
    ):
        output, errors = process.communicate()
    assert process.returncode == 1
    assert "a host was lost: reported, not judged" in errors
    assert f"host4: lost, {cause}" in output
    assert "host3: 2 connections, 400 messages" in output


def test_no_engine_outlives_its_driver(cluster):
    with cluster.started(seconds=600) as process:
        assert len(cluster.engines()) == 4
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        ended = subprocess.run(
            ["tail", *(f"--pid={pid}" for pid in cluster.engines()), "-f", os.devnull],
            timeout=ENDED_LIMIT_S,
            check=False,
        )
    assert ended.returncode == 0
    assert not cluster.engines()


def test_a_lost_host_and_then_the_lost_head_are_named(cluster):
    with cluster.started(seconds=600) as process:
        cluster.hosts[3].kill_all()
        for line in process.stderr:
            if "host4 lost" in line:
                assert "host3 running" in line
                break
        cluster.hosts[0].kill_all()
        _, errors = process.communicate()
    assert process.returncode == 1
    assert "all hosts are lost; host1: the cluster does not answer" in errors
    assert re.search(r"host4: [^;]+, [1-9]\d* messages until then", errors)
