"""Calls of agents, with a cluster whose time and answers are those of the test."""

from types import SimpleNamespace

import pytest

from autostrada.hosts import cluster
from autostrada.hosts.cluster import ANSWER_LIMIT_S, Cluster, ClusterHost

UNPLUGGED, DISCONNECTED = "unplugged", "disconnected"


class RayError(Exception):
    pass


class GetTimeoutError(RayError):
    pass


class RayTaskError(RayError):
    pass


class Ray:
    """Ray, in which a call of a host that does not answer takes its whole limit."""

    exceptions = SimpleNamespace(
        GetTimeoutError=GetTimeoutError, RayError=RayError, RayTaskError=RayTaskError
    )

    def __init__(self):
        self.now_s = 0.0
        self.waited_s = []

    def get(self, answer, timeout):
        if answer == DISCONNECTED:
            raise ConnectionError
        if answer == UNPLUGGED:
            self.waited_s.append(timeout)
            self.now_s += timeout
            raise GetTimeoutError
        return answer

    def monotonic(self):
        return self.now_s

    def monotonic_ns(self):
        return int(self.now_s * 1e9)


@pytest.fixture
def ray(monkeypatch):
    made = Ray()
    monkeypatch.setattr(cluster, "time", made)
    return made


def hosts_with(*answers):
    method = [
        SimpleNamespace(remote=lambda answer=answer: answer) for answer in answers
    ]
    return [ClusterHost(SimpleNamespace(clocks=each), list) for each in method]


def test_hosts_that_do_not_answer_are_waited_for_together(ray):
    hosts = hosts_with(UNPLUGGED, (1, 2), UNPLUGGED, UNPLUGGED)
    compared = Cluster(ray, hosts, ["10.0.0.1"]).clocks(hosts)
    assert list(compared) == [hosts[1]]
    assert sum(ray.waited_s) == pytest.approx(ANSWER_LIMIT_S, rel=0.1)
    assert [host.lost for host in hosts] == [
        "it does not answer",
        None,
        "it does not answer",
        "it does not answer",
    ]


def test_without_the_cluster_no_further_host_is_called(ray):
    hosts = hosts_with(DISCONNECTED, UNPLUGGED, (1, 2))
    assert Cluster(ray, hosts, ["10.0.0.1"]).ask(hosts, "clocks") == {}
    assert {host.lost for host in hosts} == {"the cluster does not answer"}
    assert ray.waited_s == []
