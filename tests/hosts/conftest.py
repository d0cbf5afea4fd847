"""Four hosts of a cluster, for the tests of a module."""

import subprocess
import sys
from pathlib import Path

import pytest
from cluster import PORT, Cluster
from ray_hosts import network, start_raylet

from autostrada.errors import UsageError

ENGINE = Path(sys.executable).with_name("autostrada-engine")


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
