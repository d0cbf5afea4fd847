"""An experiment whose clients are on hosts of a cluster, and its loss of one."""

import subprocess

import duckdb
import pytest
from cluster import COMMAND, agent_ended, command_line
from tests.unit.definitions import define, definition

from autostrada.contestants.catalog import find_catalog

SHORT = {"warm_up_s": 0, "window_s": 0.5}
SECURE = {"tls": True, "payload_bytes": 20, "in_flight": 1, "slices": 2}
EXPERIMENT = definition(
    define("echo", "secure", connections=8, **SHORT, **SECURE),
    define("feed", "clock", every_ms=50, processes=3, connections=2, seconds=2),
    define("reply", "library", clients=["LIBRARY"], connections=4, **SHORT),
    title="Apart",
    repetitions=2,
    limit_s=30,
    ends=["apart"],
)


def run_command(cluster, folder, *options):
    file = folder / "apart.toml"
    client = next(
        name
        for name, contestant in find_catalog().contestants().items()
        if contestant.manifest.library == "websockets" and not contestant.variant
    )
    file.write_text(EXPERIMENT.replace("LIBRARY", client))
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
    line = "not in slices, because clients are on other hosts: secure"
    assert line in " ".join(errors.split())
    assert "failed" not in errors
    with duckdb.connect(tmp_path / "store", read_only=True) as store:
        known = store.sql(
            "SELECT DISTINCT utilization FROM end_evidence JOIN trial USING (trial_id) "
            "WHERE process = 'client' AND workload = 'library'"
        )
        assert known.fetchall() == [(None,)]
    assert not cluster.engines()


def test_a_run_that_lost_a_host_is_resumed(cluster, tmp_path):
    place = ("--place", "clients=host2+host4")
    command = run_command(cluster, tmp_path, *place, "--set", "clock.seconds=60")
    only = ("--workload", "clock")
    with cluster.server.start(*command, *only, stderr=subprocess.PIPE) as process:
        while not (engines := cluster.engines()):
            assert process.poll() is None
        with agent_ended(cluster.hosts[1]):
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
        ([], "--hosts needs --place: add it, such as clients=others"),
        (["--place", "clients=host9"], "host1, host2, host3, host4"),
    ],
)
def test_wrong_places_are_refused_in_one_line(cluster, tmp_path, options, cause):
    done = cluster.server.run(*run_command(cluster, tmp_path, *options))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert cause in line
    assert not (tmp_path / "store").exists()
