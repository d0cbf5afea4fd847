"""The report of two runs, and as what the command prints it."""

import json
from dataclasses import replace

import pytest
from tests.unit.report.compare.archive import CRASH, without_folders

from autostrada.errors import UsageError
from autostrada.report.compare.command import compare_sides, print_report
from autostrada.report.compare.dashboards import bencher
from autostrada.report.compare.gate import parse_gate
from autostrada.report.compare.markdown import markdown
from autostrada.report.compare.runs import CONDITIONS, report_runs
from autostrada.report.compare.terminal import print_changes
from autostrada.report.samples import Sampled


@pytest.fixture(scope="module")
def report(differing):
    conditions = (
        "ms_per_million > +5%",
        "client_memory_bytes_max > +5%",
        "client_memory_bytes_max < 11000000",
    )
    parsed = [parse_gate(condition, CONDITIONS) for condition in conditions]
    return report_runs(without_folders(differing), parsed)


def test_a_terminal_shows_all_of_a_comparison(report, printed, snapshot):
    snapshot("differing.txt", printed(print_changes, report))


def test_a_report_in_json_has_the_exit_status_of_its_gate(report, capsys, tmp_path):
    path = tmp_path / "report.md"
    assert print_report(report, {"markdown": str(path), "json": "-"}) == 99
    assert path.read_text(encoding="utf-8") == markdown(report)
    document = json.loads(capsys.readouterr().out)
    assert document["gates"][0]["failed"] == [*report.gates[0].failed]
    cold = document["rows"][0]
    assert (cold["values"], cold["unit"]) == ([20, 30], "ms")
    assert (cold["ratio"]["value"], cold["verdict"]) == (1.5, "slower")


def test_dashboards_get_the_metrics_of_b(report, tmp_path):
    forms = "bencher", "github-action-benchmark"
    outputs = {form: str(tmp_path / form) for form in forms}
    print_report(report, outputs)
    kept, charted = (json.loads((tmp_path / form).read_text()) for form in forms)
    name, metric = "reference in batched", "time for the first million messages"
    bounds = {"value": 30, "lower_value": 29.4, "upper_value": 30.6}
    assert kept[name]["ms_per_million"] == bounds
    assert charted[0] == {
        "name": f"{name}: {metric}",
        "unit": "ms",
        "value": 30,
        "range": "29.4 ms to 30.6 ms",
        "extra": "slower, 1.500×",
    }
    assert len(charted) == sum(map(len, kept.values()))


def test_dashboards_get_no_infinite_bounds(report):
    ended = Sampled(values=(1.0, 2.0, 3.0), lower_bounds=1)
    row = replace(report.rows[0], after=ended)
    [cell] = bencher(replace(report, rows=(row,))).values()
    [metrics] = cell.values()
    assert metrics.keys() == {"value", "lower_value"}


def test_without_common_cells_there_is_no_table(begun):
    begun.add({("batched", "ada-fast"): [CRASH]})
    text = markdown(report_runs(begun.compare()))
    assert text.startswith(
        "**Nothing can be compared: A and B have no cell in common.**"
    )
    assert "|" not in text
    assert "bash-slow in alone: only in A; B: not measured" in text


def test_an_invalid_condition_is_refused_before_any_store_is_opened(tmp_path):
    nowhere = tmp_path / "no.duckdb"
    with pytest.raises(UsageError, match="no metric is called 'p99'"):
        compare_sides("1", "2", store=nowhere, fail_if=["p99 > +5%"])


@pytest.mark.parametrize(("run_id", "run"), [(None, 2), (1, 1)])
def test_two_contestants_are_compared_in_the_newest_run_by_default(
    changed_store, run_id, run
):
    report = compare_sides(
        "ada-fast", "bash-slow", run_id=run_id, store=changed_store.path
    )
    assert report.origins[0].startswith(f"ada-fast in run {run} of small")
