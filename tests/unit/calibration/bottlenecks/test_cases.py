"""Known bottlenecks: one for each that a verdict can find, with matching plans."""

import json

from autostrada.calibration.bottlenecks.cases import known_bottlenecks
from autostrada.calibration.fault_cases import FaultTopology
from autostrada.stats.verdict import Bottleneck


def test_each_detectable_bottleneck_has_one_case():
    bottlenecks = [known.bottleneck for known in known_bottlenecks()]
    assert sorted(bottlenecks) == sorted(set(Bottleneck) - {Bottleneck.UNCLEAR})


def test_names_can_be_typed_on_a_command_line():
    names = {known.bottleneck: known.name for known in known_bottlenecks()}
    assert names[Bottleneck.SERVER_CPU] == "verdict-server-cpu"
    assert names[Bottleneck.RECEIVE_WINDOW] == "verdict-receive-window"


def test_the_peer_is_measured_and_the_engine_measures():
    for known in known_bottlenecks():
        if known.topology is FaultTopology.PEER_SERVER:
            assert known.measuring_side == "client"
        if known.topology is FaultTopology.PEER_CLIENT:
            assert known.measuring_side == "server"


def test_configurations_of_both_ends_are_json():
    for known in known_bottlenecks():
        assert json.dumps([dict(known.server), dict(known.client)])
        assert "workload" in known.client
