"""The page of a comparison has what the terminal has, and says what it cannot draw."""

from tests.unit.report.loads import AFTER, BEFORE
from tests.unit.report.outline import table_text, tables, words

from autostrada.report.compare.loads import report_loads
from autostrada.report.compare.runs import report_runs
from autostrada.report.pages.change_page import change_page


def test_the_page_has_the_conclusion_and_the_table():
    report = report_loads("before", "after", [*BEFORE, *AFTER])
    page = change_page(report)
    text = words(page)
    for part in (report.conclusion, report.note, *report.origins):
        assert part in text
    lines = table_text(dict(tables(page))["changes"]).splitlines()
    assert lines[0] == "metric,A,B,B/A,interval,p,verdict"
    assert lines[1].startswith("rate,102/s | 102.5,152/s | 152.5,1.488× | 1.48")


def test_two_runs_have_a_table_without_charts(changed):
    page = change_page(report_runs(changed))
    lines = table_text(dict(tables(page))["changes"]).splitlines()
    assert lines[0].startswith("workload,contestant,metric,A,B,B/A")
    (slower,) = [line for line in lines if line.endswith(",slower")]
    assert slower.startswith("batched,ada-fast,")
    assert [section.title for section in page.sections] == ["", "Changes"]


def test_loads_that_are_in_no_chart_are_counted():
    drawn = [load.model_copy(update={"messages_per_s": (9, 8)}) for load in AFTER]
    text = words(change_page(report_loads("before", "after", [*BEFORE, *drawn])))
    assert "because the history lacks them: 6 of 6 loads of before." in text
    assert "of after." not in text
    assert "messages received a second" in text
    assert "histogram" not in text
