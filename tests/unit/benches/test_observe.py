"""The share of a core that observing takes."""

import os
from pathlib import Path

import pytest

from autostrada.errors import EngineError
from compare.observe import share, sleepers


def test_a_share_is_from_the_first_sample_to_the_last():
    samples = [
        {"cpu_ns": 7, "at_ns": 1_000},
        {"cpu_ns": 9, "at_ns": 1_150},
        {"cpu_ns": 11, "at_ns": 1_200},
    ]
    assert share(samples) == 4 / 200


def test_one_sample_has_no_share():
    with pytest.raises(EngineError, match="ended before its time"):
        share([{"cpu_ns": 7, "at_ns": 1_000}])


def test_sleepers_are_gone_in_the_end():
    with sleepers(3) as pids:
        assert len(set(pids)) == 3
        assert all(Path(f"/proc/{pid}").exists() for pid in pids)
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
