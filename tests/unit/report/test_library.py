"""What reports say of a library besides its metrics."""

import json
from dataclasses import replace

from tests.unit.report.outline import table_text, tables
from tests.unit.report.records import version

from autostrada.experiment.matrix import Cell
from autostrada.report.library import libraries, libraries_of, notes, setting_names
from autostrada.report.pages.run_page import run_page

GO = version(
    "go-fast",
    delivers="bytes",
    validates_utf8=False,
    settings=json.dumps({"server": {"read_buffer": "4 KiB"}, "client": {}}),
    failed_cases=json.dumps({"server": ["2.1", "6.4.1"], "client": []}),
)
RUST = replace(
    GO,
    contestant="rust-safe",
    settings=json.dumps({"server": {"backpressure": "no limit"}}),
    failed_cases=json.dumps({"server": []}),
    validates_utf8=True,
)
OLD = replace(GO, contestant="old-one", settings=None, failed_cases=None)
VERSIONS = [GO, RUST, OLD]


def of_servers(*names):
    cells = [Cell(server=name, client="reference", workload="echo") for name in names]
    return libraries(cells, VERSIONS)


def test_each_contestant_of_a_cell_has_its_own_role():
    found = libraries_of(Cell(server="go-fast", client="go-fast", workload="x"), [GO])
    assert [each.role for each in found] == ["server", "client"]
    assert [each.failed_cases for each in found] == [("2.1", "6.4.1"), ()]
    assert [each.delivery for each in found] == [
        "",
        "text as bytes, not validated by the library",
    ]


def test_a_library_that_fails_cases_is_marked_and_named():
    go, old, rust = of_servers("rust-safe", "go-fast", "old-one", "go-fast")
    assert [each.mark for each in (go, old, rust)] == ["†", "", ""]
    assert go.conformance == "fails 2 cases of the Autobahn test suite: 2.1, 6.4.1"
    assert rust.conformance == "passes the Autobahn test suite"
    assert old.conformance == ""
    assert list(notes([go, old, rust])) == [
        "† fails cases of the Autobahn test suite: go-fast 2."
    ]


def test_clients_that_do_not_check_texts_are_named():
    cells = [
        Cell(server="reference", client=name, workload="reply")
        for name in ("go-fast", "rust-safe")
    ]
    assert list(notes(libraries(cells, VERSIONS))) == [
        "Received texts are not checked to be UTF-8 by go-fast."
    ]


def test_settings_have_a_column_each():
    shown = of_servers("go-fast", "rust-safe", "old-one")
    assert setting_names(shown) == ["read_buffer", "backpressure"]
    assert [each.settings.get("read_buffer") for each in shown] == ["4 KiB", None, None]


def test_a_page_has_settings_and_failed_cases(race):
    known = {
        "ada-fast": {"settings": '{"client": {"read_buffer": "4 KiB"}}'},
        "bash-slow": {
            "settings": '{"client": {"nodelay": "on"}}',
            "failed_cases": '{"client": ["6.4.1", "6.4.2"]}',
        },
        "cobol-mid": {"failed_cases": '{"client": []}'},
    }
    versions = tuple(
        replace(each, **known.get(each.contestant, {})) for each in race.versions
    )
    found = dict(tables(run_page(replace(race, versions=versions), [])))
    shown = table_text(found["libraries"])
    assert shown.splitlines()[0].endswith(",read buffer,nodelay")
    assert ",4 KiB,–\n" in shown
    assert ",passes the Autobahn test suite," in shown
    failed = "fails 2 cases of the Autobahn test suite: 6.4.1-6.4.2"
    assert f",{failed}," in shown
    assert failed in table_text(found["table-batched"])
