"""Cases as trials: what their ends report that does not depend on other load."""

import json
import os

import pytest
from tests.unit.report.records import push, trial

from autostrada.calibration.rig import evidence_of
from autostrada.engine.process import find_engine
from autostrada.experiment.matrix import Cell
from autostrada.store.record import OtherLoad

SCRIPT = """
import json, sys
from dataclasses import asdict
from pathlib import Path

from autostrada.calibration.bottlenecks import known_bottlenecks
from autostrada.calibration.fault_cases import fault_cases
from autostrada.calibration.rig import Rig
from autostrada.errors import EngineError, UsageError
from autostrada.machine.host import this_host
from autostrada.machine.orphans import adopt_orphans

engine, name, topology = sys.argv[1:]
adopt_orphans()
rig = Rig(Path(engine), this_host())
cases = [*fault_cases(), *known_bottlenecks()]
(case,) = [case for case in cases if (case.name, case.topology) == (name, topology)]
measure = rig.try_bottleneck if "verdict" in name else rig.measure
try:
    evidence, noise = measure(case)
    print(json.dumps({"elapsed_s": noise.elapsed_s, **asdict(evidence)}))
except (EngineError, UsageError) as error:
    print(json.dumps({"error": str(error)}))
"""


@pytest.fixture
def measure(orchestrate):
    """Return a function that measures a case in a process."""

    def run(name, topology="engine server"):
        return json.loads(orchestrate(SCRIPT, find_engine(), name, topology))

    return run


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


@pytest.mark.parametrize(
    ("load", "disturbance"),
    [
        (OtherLoad(stolen_share=0.01), ""),
        (OtherLoad(stolen_share=0.2), "20% of a core stolen"),
        (
            OtherLoad(stolen_share=0.2, disturbance="others used 40% of core 1"),
            "20% of a core stolen; others used 40% of core 1",
        ),
    ],
)
def test_stolen_time_disturbs_a_trial_of_a_known_bottleneck(load, disturbance):
    made = trial(Cell(workload="push"), 0, push(200), other_load=load)
    assert evidence_of(made).disturbance == disturbance
