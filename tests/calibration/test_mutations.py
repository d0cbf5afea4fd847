"""The mutations still fit the engine's source, and are judged as they should."""

import pytest
from mutate import judge, untouched
from mutations import MUTATIONS

from autostrada.calibration.fault_cases import Topology, fault_cases

ALL = pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda each: each.name)
ENGINE, PEER = Topology.ENGINE.value, Topology.PEER_CLIENT.value


@ALL
def test_its_text_occurs_once_and_another_takes_its_place(mutation):
    source = mutation.path.read_text(encoding="utf-8")
    mutated = mutation.apply(source)
    assert mutated != source
    assert mutation.replacement in mutated


@ALL
def test_it_names_cases_that_there_are(mutation):
    names = {case.name for case in fault_cases(is_quick=True)}
    assert names >= {*mutation.cases, untouched(mutation)}


@pytest.mark.parametrize(
    ("outcomes", "result"),
    [
        ({("lose-echo", ENGINE): {"fail"}}, "found"),
        ({("lose-echo", ENGINE): {"pass", "fail"}}, "found"),
        ({("lose-echo", ENGINE): {"disturbed"}}, "disturbed"),
        ({("lose-echo", ENGINE): {"pass"}}, "missed"),
        ({("lose-echo", PEER): {"fail"}}, "missed"),
        ({("lose-echo", PEER): {"pass"}}, "found"),
        ({("repeat-feed", ENGINE): {"fail"}}, "missed"),
    ],
)
def test_what_must_fail_has_to_and_nothing_else_may(outcomes, result):
    [mutation] = [each for each in MUTATIONS if each.name == "nothing is missing"]
    assert judge(mutation, outcomes).startswith(result)
