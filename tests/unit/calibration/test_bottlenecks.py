"""Known bottlenecks: one for each that a verdict can find, with matching ends."""

from autostrada.calibration.bottlenecks import known_bottlenecks
from autostrada.stats.verdict import Bottleneck


def test_each_detectable_bottleneck_has_one_case():
    bottlenecks = [known.bottleneck for known in known_bottlenecks()]
    assert sorted(bottlenecks) == sorted(set(Bottleneck) - {Bottleneck.UNCLEAR})


def test_names_can_be_typed_on_a_command_line():
    names = {known.bottleneck: known.name for known in known_bottlenecks()}
    assert names[Bottleneck.SERVER_CPU] == "verdict-server-cpu"
    assert names[Bottleneck.RECEIVE_WINDOW] == "verdict-receive-window"


def test_one_end_is_measured_and_the_engine_measures_at_the_other():
    for known in known_bottlenecks():
        assert known.server.is_measuring != known.client.is_measuring
        for end in (known.server, known.client):
            assert not (end.is_measuring and end.program)


def test_the_peer_is_one_of_the_ends():
    topologies = {known.bottleneck: known.topology for known in known_bottlenecks()}
    assert topologies[Bottleneck.SERVER_CPU] == "peer server"
    assert topologies[Bottleneck.RECEIVE_WINDOW] == "peer client"
    assert topologies[Bottleneck.LOAD_GENERATOR] == "engine server"
