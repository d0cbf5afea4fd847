"""Cases as trials: what their ends report that does not depend on other load."""

import json
import os

import pytest

from autostrada.engine.process import find_engine

SCRIPT = """
import json, sys
from dataclasses import asdict, replace
from pathlib import Path

from autostrada.calibration.bottlenecks import known_bottlenecks
from autostrada.calibration.fault_cases import fault_cases
from autostrada.calibration.rig import Rig
from autostrada.errors import EngineError, UsageError
from autostrada.machine.host import this_host
from autostrada.machine.orphans import adopt_orphans

engine, name, topology, changes = sys.argv[1:]
adopt_orphans()
rig = Rig(Path(engine), this_host())
cases = [*fault_cases(), *known_bottlenecks()]
(case,) = [case for case in cases if (case.name, case.topology) == (name, topology)]
case = replace(case, **json.loads(changes))
measure = rig.try_bottleneck if "verdict" in name else rig.measure
try:
    evidence, noise = measure(case)
    print(json.dumps({"elapsed_s": noise.elapsed_s, **asdict(evidence)}))
except (EngineError, UsageError) as error:
    print(json.dumps({"error": str(error)}))
"""
DUE = 50
"""Due messages of a brief case; on a busy machine, the window may end before all are
sent."""

BRIEF = {"rate_per_s": 500, "window_s": DUE / 500}


@pytest.fixture
def measure(orchestrate):
    """Return a function that measures a case, with some changes, in a process."""

    def run(name, topology="engine server", *, engine=None, **changes):
        arguments = (engine or find_engine(), name, topology, json.dumps(changes))
        return json.loads(orchestrate(SCRIPT, *arguments))

    return run


@pytest.mark.parametrize(("faults", "held_ns"), [({"delay_ms": 20}, 2e7), ({}, 0)])
def test_the_peer_server_reports_what_it_did(measure, faults, held_ns):
    evidence = measure("delay-20ms", "peer server", **BRIEF, faults=faults)
    assert 0 < len(evidence["held_ns"]) <= DUE
    assert (min(evidence["held_ns"]) >= 2e7) is (held_ns > 0)


def test_a_client_can_be_paused(measure):
    evidence = measure("pause-100ms")
    assert evidence["paused_ns"] >= 1e8
    times_ns = [lowest for lowest, _ in evidence["response_time_ns"]["pairs"]]
    assert max(times_ns) > 5e7


@pytest.mark.parametrize("topology", ["engine server", "peer server"])
def test_work_in_slices_is_of_all_messages_of_a_slice(measure, topology):
    slices = measure("work-in-slices", topology)["slices"]
    assert len(slices) == 3
    for each in slices:
        assert each["server_cpu_ns"] >= each["messages"] * 4_000_000 > 0


def test_an_engine_that_does_not_answer_is_an_engine_error(measure):
    error = measure("healthy-echo", engine="/bin/true")["error"]
    assert "exited with 0 before it listened" in error


def test_a_push_is_reported_by_the_engines_server(measure):
    evidence = measure("verdict-client-cpu", "peer client")
    assert (evidence["sender"], evidence["pacing"]) == ("server", "continuous")
    assert evidence["server"]["is_engine"]
    assert not evidence["client"]["is_engine"]
    assert evidence["faults"] == ""
    assert evidence["blocked_share"] is not None


def test_a_load_is_reported_by_the_engines_client(measure):
    evidence = measure("verdict-load-sustained")
    assert (evidence["sender"], evidence["pacing"]) == ("client", "open-loop")
    assert evidence["client"]["is_engine"]
    assert not evidence["server"]["is_engine"]
    assert evidence["achieved_share"] > 0
    assert evidence["client"]["send_queue_filled_share"] is not None


def test_a_burnt_core_is_found_on_any_machine(measure):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("who shares one core with all others disturbs nobody more")
    assert "others used" in measure("verdict-machine")["disturbance"]


@pytest.mark.parametrize(
    ("name", "topology"),
    [("verdict-network", "engine server"), ("push-bridge", "peer client")],
)
def test_a_case_with_a_network_needs_root_or_is_refused(measure, name, topology):
    evidence = measure(name, topology)
    if os.getuid() != 0:
        assert "as root" in evidence["error"]
    elif name == "push-bridge":
        assert evidence["push"]["client_ms_per_100k"] >= 100
    else:
        assert evidence["server"]["unsent_share"] > 0
