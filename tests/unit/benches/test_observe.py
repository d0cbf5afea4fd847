"""Cost of a sample of the observer."""

import pytest

from autostrada.errors import EngineError
from compare.observe import OWNER, ObserverCost, sampled_sockets


def sample(**sockets):
    sections = {"sockets": {OWNER: sockets}} if sockets else {}
    return {"at_ns": 1, "processes": {}} | sections


def test_the_cost_of_a_sample_excludes_the_first():
    assert ObserverCost([sample(), sample(), sample()], 4).sample_ns == 2


def test_one_sample_has_no_cost():
    with pytest.raises(EngineError, match="ended too early"):
        _ = ObserverCost([sample()], 7).sample_ns


def test_samples_of_sockets_are_counted():
    samples = [sample(), sample(connections=10_000, sampled=512), sample()]
    assert sampled_sockets(samples) == "1 of 3 samples have sockets, 512 of 10,000"
    assert sampled_sockets(samples[:1]) == "no sample has sockets"
