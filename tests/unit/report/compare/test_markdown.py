"""The comparison in Markdown: a table that GitHub renders, after the conclusion."""

from dataclasses import replace

import pytest

from autostrada.report.compare.gate import check_condition, parse_known
from autostrada.report.compare.markdown import markdown


@pytest.fixture(scope="module")
def text(changed):
    return markdown(
        changed, [check_condition(parse_known("messages_per_s < -5%"), changed)]
    )


def rows(text):
    """Return the table's rows, each as its cells."""
    return [
        line.removeprefix("| ").removesuffix(" |").split(" | ")
        for line in text.splitlines()
        if line.startswith("|")
    ]


def test_the_conclusion_is_the_first_line(text):
    assert text.startswith("**Compared with A, B is faster in 1 of 3 cells (bash-slow ")
    assert text.splitlines()[0].endswith("less in 1.**")


def test_the_conditions_follow(text):
    assert text.splitlines()[2] == (
        "- failed: messages\\_per\\_s &lt; -5%: ada-fast in batched: -16.7% "
        "(-19.1% to -14.1%)"
    )


def test_the_table_has_one_row_per_cell_with_equal_numbers_of_columns(text):
    table = rows(text)
    assert {len(row) for row in table} == {17}
    assert set(table[1]) == {":--", "--:"}
    assert [row[:2] for row in table[2:]] == [
        ["batched", "reference"],
        ["batched", "ada-fast"],
        ["batched", "bash-slow"],
        ["alone", "reference"],
        ["alone", "ada-fast"],
    ]
    assert table[3][2:5] == [
        "200 ms → 240 ms",
        "1.200× (1.165–1.236)",
        "slower (p 0.008)",
    ]
    assert table[4][2] == "4 s → 3.60 s"


def test_a_table_is_surrounded_by_empty_lines(text):
    lines = text.splitlines()
    first = next(index for index, line in enumerate(lines) if line.startswith("|"))
    assert lines[first - 1] == ""
    assert lines[first + len(rows(text))] == ""


def test_cells_of_one_side_and_both_sides_are_named(text, changed_store):
    assert "- ada-fast+turbo in batched: only in A; B: failed: crashed" in text
    assert f"A: `run 1 of small in {changed_store.path}, 2026-11-20 21:00 UTC" in text


def test_user_written_text_is_escaped(begun, few, run):
    host = '{"cpu_model": "<b>Abacus</b> | *9* `x`", "cores": 2}'
    begun.add(few, run=replace(run, host=host))
    text = markdown(begun.compare(), [])
    assert (
        r"- machine: cpu\_model: Abacus 9 in A, "
        r"&lt;b&gt;Abacus&lt;/b&gt; \| \*9\* \`x\` in B"
    ) in text


def test_unknown_values_are_marked(begun, measurement):
    begun.add({("batched", "ada-fast"): [measurement(200, processes=())] * 5})
    [*_, row] = rows(markdown(begun.compare(), []))
    assert row[5:8] == ["0.0000010 ns → -", "-", "not known"]


def test_without_common_cells_there_is_no_table(begun, crash):
    begun.add({("batched", "ada-fast"): [crash]})
    text = markdown(begun.compare(), [])
    assert text.startswith("**Nothing can be compared: ")
    assert rows(text) == []
    assert "bash-slow in alone: only in A; B: not measured" in text


def test_the_same_comparison_is_the_same_text(changed, text):
    again = markdown(
        changed, [check_condition(parse_known("messages_per_s < -5%"), changed)]
    )
    assert again == text
