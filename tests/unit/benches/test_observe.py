"""Cost of a sample of the observer."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from autostrada.errors import EngineError
from autostrada.machine.process import Command
from compare import observe
from compare.bench import BenchProgram
from compare.observe import OWNER, sampled_sockets


def test_the_cost_of_a_sample_excludes_the_first(monkeypatch):
    def observed(lines):
        code = f"input()\nfor line in range({lines}): print(line)"
        command = Command(arguments=[sys.executable, "-c", code], folder=Path())
        bench = SimpleNamespace(
            engine=Path("engine"), client=lambda *_, **__: BenchProgram(command)
        )
        return observe._observe(bench, {}, window_s=0.2)

    readings_ns = iter([1_000, 1_700, 2_000, 2_700])
    monkeypatch.setattr(observe, "cpu_ns", lambda _: next(readings_ns))
    assert observed(4) == (["1", "2", "3"], 350)
    with pytest.raises(EngineError, match="ended too early"):
        observed(2)


def test_samples_of_sockets_are_counted():
    sockets = {OWNER: {"connections": 10_000, "sampled": 512}}
    samples = ["{}", json.dumps({"sockets": sockets}), "{}"]
    assert sampled_sockets(samples) == "1 of 3 samples have sockets, 512 of 10,000"
    assert sampled_sockets(samples[:1]) == "no sample has sockets"
