"""A run that compares two sides: its rows, its answer, and what it measures next."""

import json
from dataclasses import replace

import pytest
from tests.unit.report.records import total, version, write_run
from tests.unit.report.sliced import PLAN, RUN, SERVERS, trials, write_sliced

from autostrada.errors import UsageError
from autostrada.regress.command import read_report
from autostrada.report.compare.change_report import ChangeVerdict
from autostrada.report.compare.gate import parse_change
from autostrada.report.compare.markdown import markdown
from autostrada.report.regression import read_regression, undecided
from autostrada.report.regression_report import EXAMPLES
from autostrada.store.reader import StoreReader


@pytest.fixture
def store(tmp_path):
    """Return a function: so many rounds of two of the servers in slices."""

    def write(before, after, *, starts=6, margin=0.03):
        sides = {"before": before, "after": after, "labels": ["fast==1", "fast==2"]}
        sides |= {"margin": margin, "rounds_max": 12}
        run = replace(RUN, plan=json.dumps(PLAN | {"sides": sides}))
        path = tmp_path / "store.duckdb"
        write_run(path, run, map(version, SERVERS), map(observed, trials(starts)))
        return path

    return write


def observed(made):
    """Return a trial of five seconds, whose server used the CPU time of its slices."""
    cpu_ns = sum(one.server_cpu_ns for one in made.outcome.slices)
    processes = (total("server", cpu_ns=cpu_ns, peak_bytes=2**20),)
    outcome = replace(made.outcome, processes=processes)
    return replace(made, outcome=outcome, taken_ns=5_000_000_000)


def next_cells(path):
    with StoreReader.open(path) as reader:
        return [cell.server for each in undecided(reader, 1) for cell in each.cells]


def cpu_row(report):
    return next(row for row in report.rows if row.metric == "cpu")


def test_a_slower_side_is_reported_in_one_sentence_and_a_table(store, snapshot):
    path = store("cobol-mid", "elm-wide")
    conditions = [parse_change(text, EXAMPLES) for text in ("cpu > +3%", "rate < -5%")]
    report = read_report(path, None, conditions)
    verdicts = {row.metric: row.verdict for row in report.rows}
    assert verdicts["cpu"] is ChangeVerdict.SLOWER
    assert verdicts["rate"] is ChangeVerdict.FASTER
    assert [bool(gate.failed) for gate in report.gates] == [True, False]
    assert next_cells(path) == []
    snapshot("regression.txt", markdown(report))


def test_equal_sides_are_the_same_within_the_margin(store):
    path = store("cobol-mid", "dart-mid", margin=0.1)
    # In one of six starts, one of them is absent.
    assert cpu_row(read_report(path, None)).verdict is ChangeVerdict.SAME
    assert next_cells(path) == []


def test_an_undecided_row_is_measured_again_and_says_for_how_long(store):
    path = store("cobol-mid", "dart-mid", margin=0.001)
    row = cpu_row(report := read_report(path, None))
    assert row.verdict is ChangeVerdict.INDISTINGUISHABLE
    assert row.detectable > 0
    assert "would need about" in row.reason
    assert "not distinguishable in echo, which would need" in report.conclusion
    assert next_cells(path) == ["cobol-mid", "dart-mid"]


@pytest.mark.parametrize("starts", [0, 2])
def test_before_the_first_look_nothing_is_decided(store, starts):
    path = store("ada-fast", "elm-wide", starts=starts)
    assert next_cells(path) == ["ada-fast", "elm-wide"]
    assert cpu_row(read_report(path, None)).verdict in {
        ChangeVerdict.NOT_KNOWN,
        ChangeVerdict.INDISTINGUISHABLE,
    }
    with pytest.raises(UsageError, match="cannot be judged"):
        read_report(path, None, [parse_change("cpu > +3%", EXAMPLES)])


def test_another_run_is_refused(tmp_path):
    with (
        StoreReader.open(write_sliced(tmp_path / "other.duckdb", starts=1)) as reader,
        pytest.raises(UsageError, match="does not compare two sides"),
    ):
        read_regression(reader)
