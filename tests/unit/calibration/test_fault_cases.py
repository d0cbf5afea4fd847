"""The cases as data: faults that can be counted, and known bottlenecks."""

import pytest

from autostrada.calibration.bottlenecks import known_bottlenecks
from autostrada.calibration.fault_cases import ONE_IN, FaultTopology, Kind, fault_cases
from autostrada.calibration.peer.faults import FaultInjector
from autostrada.stats.verdict import Bottleneck

FAULTS = {
    "delay_ms",
    "stall",
    "lose_every",
    "repeat_every",
    "swap_every",
    "corrupt_every",
    "burst",
    "rate_per_s",
    "grow_bytes",
    "work_us",
    "close_after",
    "abort_after",
}


@pytest.fixture(params=[False, True], ids=["full", "quick"])
def chosen(request):
    return fault_cases(is_quick=request.param)


def test_no_two_cases_are_equal(chosen):
    names = [(case.name, case.topology) for case in chosen]
    assert len(names) == len(set(names))


def test_quick_has_the_same_cases_as_full():
    def names(chosen):
        return {each.name for each in chosen if each.topology is FaultTopology.ENGINE}

    assert names(fault_cases(is_quick=True)) == names(fault_cases())


def test_each_fault_of_the_server_has_a_case(chosen):
    assert {fault for case in chosen for fault in case.faults} == FAULTS


def test_every_kind_is_measured_by_the_engine(chosen):
    ours = {each.kind for each in chosen if each.topology is FaultTopology.ENGINE}
    assert ours == set(Kind) - {Kind.PUSH}


def test_the_peer_measures_the_kinds_that_it_supports(chosen):
    for peer in (FaultTopology.PEER_SERVER, FaultTopology.PEER_CLIENT):
        theirs = {each.kind for each in chosen if each.topology is peer}
        assert theirs >= {Kind.HEALTHY, Kind.DELAY, Kind.STALL, Kind.LOSE, Kind.ABORT}


def test_pushes_are_measured_at_a_client_of_known_speed(chosen):
    pushes = [each for each in chosen if each.kind is Kind.PUSH]
    assert {each.topology for each in pushes} == {FaultTopology.PEER_CLIENT}
    assert {each.push.pongs for each in pushes} == {"prompt", "late", "unsent", "never"}
    assert any(each.push.is_bridged for each in pushes)


def test_the_number_of_faults_does_not_depend_on_the_last_message(chosen):
    for case in chosen:
        if any(fault.endswith("_every") for fault in case.faults):
            each, rest = divmod(case.messages, case.connections)
            assert rest == 0
            assert each % ONE_IN != 0


def test_each_detectable_bottleneck_has_one_case():
    bottlenecks = [known.bottleneck for known in known_bottlenecks()]
    assert sorted(bottlenecks) == sorted(set(Bottleneck) - {Bottleneck.UNCLEAR})


def test_one_end_is_measured_and_the_engine_measures_at_the_other():
    for known in known_bottlenecks():
        assert known.server.is_measuring != known.client.is_measuring
        for end in (known.server, known.client):
            assert not (end.is_measuring and end.program)


def test_the_peer_sends_what_it_holds_at_the_end_of_a_feed():
    injector = FaultInjector({"swap_every": 5})
    sent = [each for number in "01234" for each in injector.apply(number)]
    assert sent + injector.remaining() == list("01234")
