"""A run with a smaller host and a bridge: refused, killed, repeated and reported."""

import os
import signal
import subprocess
import time
from contextlib import nullcontext

from tests.unit.obstacle import needs

from autostrada.experiment.experiment import parse_experiment
from autostrada.experiment.matrix import Cell
from autostrada.report.host_facts import fact_name
from autostrada.runner.isolation import expect_isolation
from autostrada.store.reader import StoreReader

EXPERIMENT = """
title       = "Isolated"
question    = "How many?"
repetitions = 1
limit_s     = 20
network     = "bridge"
server_host = { cpu_share_max = 0.5, memory_bytes_max = 1_000_000_000 }

[[workload]]
name     = "feed"
kind     = "feed"
feed     = "clock"
every_ms = 20
seconds  = 1
"""

HALVED = """
title       = "Halved"
question    = "How many?"
repetitions = 1
limit_s     = 20
server_host = { cpu_share_max = 0.5 }

[[workload]]
name        = "whole"
kind        = "echo"
connections = 8
in_flight   = 1
warm_up_s   = 0.2
window_s    = 2

[[workload]]
name              = "half"
like              = "whole"
server_host_share = 0.5
"""

PERIODS = 1.15
"""A window has parts of periods of the limit, so it may have more than its share."""


def isolated():
    return nullcontext(expect_isolation(parse_experiment(EXPERIMENT, origin="")))


needs_isolation = needs(isolated)


def networks_of(name):
    """Return the network namespaces of the running processes of a program."""
    found = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                with open(f"{entry.path}/comm") as comm:
                    if comm.read().startswith(name):
                        found[entry.name] = os.readlink(f"{entry.path}/ns/net")
            except OSError:
                continue
    return found


@needs_isolation
def test_nothing_of_a_killed_run_disturbs_the_next(own_workspace):
    own_workspace.contestants.mkdir(parents=True)
    own_workspace.experiment.write_text(EXPERIMENT.replace("seconds  = 1", "seconds=9"))
    own = os.readlink("/proc/self/ns/net")

    def isolated():
        return set(networks_of("autostrada-engi").values()) - {own}

    with own_workspace.start() as orchestrator:
        while orchestrator.poll() is None and len(isolated()) < 2:
            # No event tells when another process enters a namespace.
            time.sleep(0.05)
        orchestrator.send_signal(signal.SIGKILL)
    left = isolated()
    own_workspace.experiment.write_text(EXPERIMENT)
    ended = own_workspace.run()
    assert ended.returncode == 0, ended.stderr
    assert not isolated() & left
    trials = own_workspace.query(
        "SELECT * FROM trial JOIN measurement USING (trial_id)"
    )
    assert trials
    row = own_workspace.query("SELECT host FROM run ORDER BY run_id DESC")[0]
    assert '"server_host_memory_bytes_reached": ' in row["host"]
    assert "host of the servers" in ended.stderr
    page = next(own_workspace.store.parent.glob("*.html")).read_text()
    assert fact_name("server_host_cpu_share_max") in page


@needs_isolation
def test_servers_with_a_share_of_the_host_have_that_share_of_its_cpu_time(
    own_workspace,
):
    own_workspace.contestants.mkdir(parents=True)
    own_workspace.experiment.write_text(HALVED)
    ended = own_workspace.run()
    assert ended.returncode == 0, ended.stderr
    with StoreReader.open(own_workspace.store) as reader:
        whole, half = (
            reader.median(1, Cell(workload=name), "server_cpu_utilization")
            for name in ("whole", "half")
        )
    # A busy machine may give less, and nothing may give more.
    assert whole <= 0.5 * PERIODS
    assert half <= 0.25 * PERIODS


@needs_isolation
def test_a_run_that_cannot_set_limits_is_refused_before_it_begins(own_workspace):
    own_workspace.contestants.mkdir(parents=True)
    own_workspace.experiment.write_text(EXPERIMENT)
    read_only = (
        "grep -o ' /sys/fs/cgroup[^ ]*' /proc/self/mounts | sort -u | "
        "while read -r each; do mount -o remount,bind,ro $each || exit; done; "
        'exec "$@"'
    )
    refused = subprocess.run(
        ["unshare", "--mount", "sh", "-c", read_only, "-", *own_workspace.arguments()],
        capture_output=True,
        text=True,
        check=False,
        env=own_workspace.environment(),
    )
    assert refused.returncode == 2, refused.stdout
    lines = refused.stderr.splitlines()
    assert len(lines) == 1
    assert "the limits of [server_host] cannot be set" in lines[0]
    assert "run autostrada as root on the machine itself" in lines[0]
    assert not own_workspace.store.exists()
