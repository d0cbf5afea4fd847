"""The output of k6's scripts."""

import sys

import pytest

from autostrada.errors import EngineError
from compare.bench import BenchProgram
from compare.k6 import await_line


def test_any_other_output_of_k6_is_a_failure_and_shown():
    code = "print('begin'); print('TypeError: no')"
    with BenchProgram([sys.executable, "-c", code]) as program:
        await_line(program, "begin")
        with pytest.raises(EngineError, match="k6 says 'TypeError: no'"):
            await_line(program, "end")
