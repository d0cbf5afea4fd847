"""Recorded facts about the machine."""

import json
import os

import pytest

from autostrada.machine import facts as facts_module
from autostrada.machine.facts import facts
from autostrada.machine.host import Host, this_host

HOST = Host(
    server_cpus=frozenset({10, 2}),
    client_cpus=frozenset({3}),
    observer_cpus=frozenset({4}),
    is_pinned=False,
)


def test_facts_are_a_document_without_empty_values():
    found = json.loads(json.dumps(facts(this_host())))
    assert found["cores"] == len(os.sched_getaffinity(0))
    assert found["memory_bytes"] > 0
    assert found["somaxconn"].isdecimal()
    assert len(found["port_range"].split()) == 2
    assert len(found["tcp_mem_pages"].split()) == 3
    assert found["is_root"] == str(os.geteuid() == 0).lower()
    assert found["kept_together_by"] in {"cgroup", "process group"}
    assert "" not in found.values()


def test_the_placement_of_processes_is_recorded():
    found = facts(HOST)
    names = ("server_cpus", "client_cpus", "observer_cpus")
    assert [found[name] for name in names] == ["2,10", "3", "4"]
    assert found["is_pinned"] == "false"
    assert found["is_shared_core"] == "false"


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("0::/\n", "2"),
        ("4:memory:/\n", "1"),
        ("4:memory:/\n0::/\n", "1 and 2"),
        ("", "none seen"),
    ],
    ids=["2", "1", "both", "none"],
)
def test_the_version_of_cgroups_is_detected(tmp_path, text, version):
    places = tmp_path / "cgroup"
    places.write_text(text)
    assert facts_module._cgroup_version(places) == version
    assert facts_module._cgroup_version(tmp_path / "not-there") == "none seen"


@pytest.mark.parametrize(
    ("name", "written", "said"),
    [
        ("cpufreq/boost", "1\n", "on"),
        ("cpufreq/boost", "0\n", "off"),
        ("intel_pstate/no_turbo", "1\n", "off"),
        ("intel_pstate/no_turbo", "0\n", "on"),
        ("else", "1\n", "unknown"),
    ],
)
def test_the_boost_state_is_read_if_available(
    tmp_path, monkeypatch, name, written, said
):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(written)
    monkeypatch.setattr(facts_module, "_CPU", tmp_path)
    assert facts_module._boost() == said
