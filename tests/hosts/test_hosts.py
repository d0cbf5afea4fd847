"""
A load from four hosts of a Ray cluster, and what happens to it if one is lost.

Each host is a network namespace with a raylet; the server and the program that drives
them are in a fifth. Real Ray and real engines.
"""

import json
import os
import re
import signal
import subprocess

import pytest
from cluster import agent_ended, unplugged

ENDED_LIMIT_S = 60
"""Time until all engines of a driver that was killed have ended; a defect's."""


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
        (["--users", "/nothing.csv"], None, "/nothing.csv"),
        (["--source", "10.180.0.2"], None, "10.180.0.2 is no address of this machine"),
    ],
)
def test_wrong_options_are_refused_in_one_line(cluster, options, address, cause):
    done = cluster.run(*options, address=address)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert cause in line


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
    # On a busy machine the last ones may be overdue.
    assert re.search("host3: 2 connections, 1,[56].. messages", output)
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
    assert re.search("host3: 2 connections, (3..|400) messages", output)


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
