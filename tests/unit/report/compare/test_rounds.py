"""A run that measures two sides in turn: rows, answer, and what is measured next."""

import json
from dataclasses import replace

import pytest
from tests.unit.report.records import total, version, write_run
from tests.unit.report.sliced import PLAN, RUN, SERVERS, trials, write_sliced

from autostrada.errors import UsageError
from autostrada.report.compare.compared_metric import ChangeVerdict
from autostrada.report.compare.markdown import markdown
from autostrada.report.compare.rounds import undecided
from autostrada.report.compare.rounds_report import report_rounds
from autostrada.report.compare.terminal import print_changes
from autostrada.store.reader import StoreReader


@pytest.fixture
def store(tmp_path):
    """Return a function: so many rounds of two of the servers in slices."""

    def write(before, after, *, starts=6, margin=0.03, fail_if=()):
        sides = {"before": before, "after": after, "labels": ["fast==1", "fast==2"]}
        sides |= {"margin": margin, "rounds_max": 12, "fail_if": fail_if}
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
    return next(row for row in report.rows if row.metric.name == "cpu")


def test_a_slower_side_is_reported_in_one_sentence_and_a_table(store, snapshot):
    path = store("cobol-mid", "elm-wide", fail_if=("cpu > +3%", "rate < -5%"))
    report = report_rounds(path)
    assert [bool(gate.failed) for gate in report.gates] == [True, False]
    assert next_cells(path) == []
    snapshot("rounds-markdown.txt", markdown(report))


def test_an_undecided_row_is_measured_again_and_passes_no_condition(
    store, printed, snapshot
):
    path = store("cobol-mid", "dart-mid", margin=0.001, fail_if=("cpu > +0.1%",))
    report = report_rounds(path)
    assert next_cells(path) == ["cobol-mid", "dart-mid"]
    assert not report.has_failed
    assert report.gates[0].passed == ()
    snapshot("rounds-undecided.txt", printed(print_changes, report))


def test_equal_sides_are_the_same_within_the_margin(store):
    path = store("cobol-mid", "dart-mid", margin=0.1)
    # In one of six starts, one of them is absent.
    assert cpu_row(report_rounds(path)).verdict is ChangeVerdict.SAME
    assert next_cells(path) == []


def test_a_changed_row_is_measured_until_a_condition_is_decided(store):
    path = store("cobol-mid", "elm-wide", fail_if=("cpu > +65%",))
    report = report_rounds(path)
    assert cpu_row(report).verdict is ChangeVerdict.SLOWER
    assert "echo: +61.9% (" in report.gates[0].undecided[0]
    assert next_cells(path) == ["cobol-mid", "elm-wide"]


def test_a_row_that_is_the_same_may_be_beyond_a_limit_within_the_margin(store):
    path = store("cobol-mid", "elm-wide", margin=0.99, fail_if=("cpu > +0%",))
    report = report_rounds(path)
    assert cpu_row(report).verdict is ChangeVerdict.SAME
    assert report.has_failed


@pytest.mark.parametrize(
    ("starts", "verdict"), [(0, ChangeVerdict.NOT_KNOWN), (2, ChangeVerdict.UNDECIDED)]
)
def test_before_the_first_look_nothing_is_decided(store, starts, verdict):
    path = store("ada-fast", "elm-wide", starts=starts)
    assert next_cells(path) == ["ada-fast", "elm-wide"]
    assert cpu_row(report_rounds(path)).verdict is verdict


def test_a_condition_that_no_row_has_rounds_for_is_refused(store):
    path = store("ada-fast", "elm-wide", starts=2, fail_if=("cpu > +3%",))
    with pytest.raises(UsageError, match="cannot be judged: a change requires 3"):
        report_rounds(path)


def test_another_run_is_refused(tmp_path):
    path = write_sliced(tmp_path / "other.duckdb", starts=1)
    with pytest.raises(UsageError, match="does not compare two sides"):
        report_rounds(path)
