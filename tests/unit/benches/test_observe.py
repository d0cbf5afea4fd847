"""Cost of a sample of the observer."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from autostrada.errors import EngineError
from autostrada.machine.process import Command
from compare import observe
from compare.bench import BenchProgram


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
