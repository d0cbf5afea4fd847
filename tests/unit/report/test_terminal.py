"""Which tables are printed of a run."""

import io

import pytest
from rich.console import Console

from autostrada.errors import UsageError
from autostrada.report.terminal import print_run


def test_of_a_race_it_is_the_tables_of_a_race(race_path):
    output = io.StringIO()
    print_run(race_path, Console(file=output, width=80))
    assert "ada-fast is the fastest." in output.getvalue()


def test_a_run_that_is_not_there_is_refused(race_path):
    with pytest.raises(UsageError, match="holds no run 7, only 1"):
        print_run(race_path, Console(file=io.StringIO()), 7)
