"""The mutations still match the engine's source, and are judged correctly."""

import pytest
from mutate import classify, untouched
from mutations import MUTATIONS

from autostrada.calibration.fault_cases import FaultTopology, fault_cases

ALL = pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda each: each.name)
ENGINE, PEER = FaultTopology.ENGINE.value, FaultTopology.PEER_CLIENT.value


@ALL
def test_the_text_occurs_once_and_is_replaced(mutation):
    source = mutation.path.read_text(encoding="utf-8")
    mutated = mutation.apply(source)
    assert mutated != source
    assert mutation.replacement in mutated


@ALL
def test_a_mutation_names_existing_cases(mutation):
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
def test_the_named_cases_must_fail_and_no_others(outcomes, result):
    [mutation] = [each for each in MUTATIONS if each.name == "nothing is missing"]
    assert classify(mutation, outcomes).startswith(result)
