"""Which cores play which part, and what is recorded of the machine."""

import json
import os

import pytest

from autostrada.machine.host import Host, facts, this_host
from autostrada.machine.process import on_cpus


def test_server_and_client_have_one_core_each():
    host = this_host()
    assert len(host.server_cpus) == len(host.client_cpus) == 1
    assert host.server_cpus | host.client_cpus <= os.sched_getaffinity(0)


def test_they_are_apart_where_there_are_two():
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("this machine has one core")
    assert not this_host().is_shared


def test_one_core_is_shared():
    core = frozenset({max(os.sched_getaffinity(0))})
    with on_cpus(core):
        host = this_host()
    assert host == Host(server_cpus=core, client_cpus=core)
    assert host.is_shared
    assert facts(host)["is_shared_core"] == "true"


def test_facts_are_a_document_in_which_nothing_is_empty():
    found = json.loads(json.dumps(facts(this_host())))
    assert found["cores"] == len(os.sched_getaffinity(0))
    assert found["memory_bytes"] > 0
    assert "" not in found.values()


def test_cores_are_written_as_a_list():
    host = Host(server_cpus=frozenset({10, 2}), client_cpus=frozenset({3}))
    found = facts(host)
    assert (found["server_cpus"], found["client_cpus"]) == ("2,10", "3")
    assert found["is_shared_core"] == "false"
