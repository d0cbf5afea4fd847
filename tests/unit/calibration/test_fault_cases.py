"""The weights as data: told apart, and countable."""

import json

import pytest

from autostrada.calibration.fault_cases import ONE_IN, Arrangement, Kind, weights
from autostrada.calibration.plans import serve_plan

FAULTS = {
    "delay_ms",
    "stall",
    "lose_every",
    "repeat_every",
    "swap_every",
    "corrupt_every",
    "clump",
    "rate_per_s",
    "grow_bytes",
    "close_after",
    "abort_after",
}


@pytest.fixture(params=[False, True], ids=["full", "quick"])
def chosen(request):
    return weights(is_quick=request.param)


def test_no_two_weights_are_the_same(chosen):
    names = [(weight.name, weight.arrangement) for weight in chosen]
    assert len(names) == len(set(names))


def test_quick_weighs_what_full_weighs():
    def names(chosen):
        return {each.name for each in chosen if each.arrangement is Arrangement.ENGINE}

    assert names(weights(is_quick=True)) == names(weights())


def test_each_fault_of_the_server_is_weighed(chosen):
    assert {fault for weight in chosen for fault in weight.faults} == FAULTS


def test_every_kind_is_weighed_by_the_engine(chosen):
    ours = {each.kind for each in chosen if each.arrangement is Arrangement.ENGINE}
    assert ours == set(Kind)


def test_the_twins_weigh_what_they_know(chosen):
    for twin in (Arrangement.TWIN_SERVER, Arrangement.TWIN_CLIENT):
        theirs = {each.kind for each in chosen if each.arrangement is twin}
        assert theirs >= {Kind.HEALTHY, Kind.DELAY, Kind.STALL, Kind.LOSE, Kind.ABORT}


def test_how_many_are_faulty_does_not_depend_on_the_last_message(chosen):
    for weight in chosen:
        if any(fault.endswith("_every") for fault in weight.faults):
            each, rest = divmod(weight.messages, weight.connections)
            assert rest == 0
            assert each % ONE_IN != 0


def test_names_fit_into_a_line_of_80_columns(chosen):
    assert max(len(weight.name) for weight in chosen) < 16
    assert max(len(weight.arrangement) for weight in chosen) < 16


def test_all_faults_can_be_written_down(chosen):
    for weight in chosen:
        assert json.loads(json.dumps(serve_plan(weight)))["format"] == 1
