"""Programs as processes: their output and their failures."""

import os
import sys
from pathlib import Path

import pytest

from autostrada.errors import EngineError
from autostrada.machine.process import Command
from compare.bench import BenchProgram, complete
from compare.k6 import await_line


def python(code, **settings):
    command = Command(arguments=[sys.executable, "-c", code], folder=Path())
    return BenchProgram(command, **settings)


def test_a_failure_includes_the_last_line():
    code = "import sys; print('here'); sys.exit('the reason')"
    with (
        python(code) as program,
        pytest.raises(EngineError, match="ended with 1: the reason"),
    ):
        list(program.lines())


def test_a_program_that_does_not_end_is_killed():
    with (
        python("input()", limit_s=0.2) as program,
        pytest.raises(EngineError, match="took more than"),
    ):
        list(program.lines())


def test_a_program_whose_output_is_not_read_can_continue(tmp_path):
    reached = tmp_path / "reached"
    os.mkfifo(reached)
    code = f"print(1)\nfor _ in range(100_000): print(2)\nopen({str(reached)!r}, 'w')"
    with python(code) as program:
        assert next(program.lines()) == "1"
        program.drain()
        # Opening blocks until the other end opens, which happens after all the lines.
        with reached.open():
            pass


def test_any_other_output_of_k6_is_a_failure_and_shown():
    with python("print('begin'); print('TypeError: no')") as program:
        await_line(program, "begin")
        with pytest.raises(EngineError, match="k6 says 'TypeError: no'"):
            await_line(program, "end")


@pytest.mark.parametrize(
    ("change", "why"),
    [({"failures": ["reset"]}, "reset"), ({"ended": "closed"}, "closed")],
)
def test_a_result_with_failures_or_an_early_end_is_refused(change, why):
    result = {"failures": [], "ended": "complete"}
    assert complete(result) is result
    with pytest.raises(EngineError, match=f"the plan was not completed: .*{why}"):
        complete(result | change)
