"""Programs as processes: their output, their failures, and their CPU time."""

import os
import sys
import time

import pytest

from autostrada.errors import EngineError
from compare.bench import BenchProgram, complete, cpu_ns


def python(code, **settings):
    return BenchProgram([sys.executable, "-c", code], **settings)


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


def test_a_result_without_failures_is_complete():
    result = {"failures": [], "ended": "complete"}
    assert complete(result) is result


@pytest.mark.parametrize(
    ("change", "why"),
    [({"failures": ["reset"]}, "reset"), ({"ended": "closed"}, "closed")],
)
def test_a_result_with_failures_or_an_early_end_is_refused(change, why):
    with pytest.raises(EngineError, match=f"the plan was not completed: .*{why}"):
        complete({"failures": [], "ended": "complete"} | change)


def test_the_cpu_time_of_a_process_is_that_of_all_its_threads():
    before_ns = time.process_time_ns()
    assert before_ns <= cpu_ns(os.getpid()) <= time.process_time_ns()
