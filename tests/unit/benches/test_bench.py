"""Programs as processes: what they print, how they fail, that they are gone."""

import os
import sys

import pytest

from autostrada.errors import EngineError
from compare.bench import Program


def python(code, **settings):
    return Program([sys.executable, "-c", code], **settings)


def test_a_line_may_be_long():
    with python("print('a' * 1_000_000); print('b')") as program:
        assert [line.strip()[0] for line in program.lines()] == ["a", "b"]


def test_a_failure_comes_with_its_last_words():
    code = "import sys; print('here'); sys.exit('the reason')"
    with (
        python(code) as program,
        pytest.raises(EngineError, match="ended with 1: the reason"),
    ):
        list(program.lines())


def test_a_program_that_does_not_end_is_ended():
    with (
        python("input()", limit_s=0.2) as program,
        pytest.raises(EngineError, match="took more than"),
    ):
        list(program.lines())


def test_what_is_sent_is_a_line():
    with python("print(input())") as program:
        program.send({"format": 2})
        assert list(program.lines()) == ['{"format": 2}\n']


def test_a_program_whose_lines_are_forgotten_can_go_on(tmp_path):
    reached = tmp_path / "reached"
    os.mkfifo(reached)
    code = f"print(1)\nfor _ in range(100_000): print(2)\nopen({str(reached)!r}, 'w')"
    with python(code) as program:
        assert next(program.lines()) == "1\n"
        program.drain()
        # Opening waits for the other end, which comes after all the lines.
        with reached.open():
            pass


def test_a_program_is_gone_in_the_end():
    with python("input()") as program:
        pid = program.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
