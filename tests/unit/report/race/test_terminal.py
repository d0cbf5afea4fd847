"""The tables as a terminal of 80 columns shows them."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from autostrada.report.page import write_page
from autostrada.report.terminal import print_run
from autostrada.store.writer import StoreWriter


@pytest.fixture(scope="module")
def lines(race_path):
    return printed(race_path)


def printed(path, **options):
    output = io.StringIO()
    print_run(path, Console(file=output, width=80, **options))
    return [line.rstrip() for line in output.getvalue().splitlines()]


def test_nothing_is_wider_than_80_columns(lines):
    assert max(map(len, lines)) <= 80


def test_without_a_terminal_there_are_no_colours(lines, race_path):
    assert not any("\x1b" in line for line in lines)
    assert any("\x1b" in line for line in printed(race_path, force_terminal=True))


def test_the_table_is_this(lines):
    begin = lines.index("batched: 1,000,000 messages, many frames a system call")
    assert lines[begin + 1 : begin + 15] == [
        "A byte of payload is 1.18 bytes on the wire.",
        "  contestant            ms/1M to best to ref. CPU µs  MiB limit",
        "  version            interval      CV         /CPU s      next",
        "  reference            ≤ 20.0                   0.01 12.0 engine",
        "  1.2.3             18.0–22.0   7.91%         71.4 M",
        "1 ada-fast                200   1.00× ≥ 10.0×   0.20 12.0 client CPU",
        "  1.2.3               196–204   1.58%         5.00 M      engine 5.0×",
        "2 cobol-mid               398   1.99× ≥ 19.9×   0.44 11.5 client CPU",
        "  1.2.3      392–404 at 87.5%   1.30%         2.27 M      engine 10×",
        "3 bash-slow             4,000   20.0×  ≥ 200×   4.00 12.0 client CPU",
        "  1.2.3           3,900–4,100   1.98%          250 k      engine 100×",
        "   cobol-mid: crashed in repetition 5: ended by signal 11",
        "   cobol-mid: 1 repetition failed, the figures are those of the other 4.",
        "   dart-missing: requirement missing: dart is missing: apt install dart",
    ]


def test_disturbed_trials_are_counted(lines):
    text = " ".join(line.strip() for line in lines)
    assert "disturbed trials (of them repeated): bash-slow 1 (1)" in text
    assert "1 trial was disturbed and repeated, of 41 in all." in text


def test_bounds_and_shared_ranks_are_marked(lines):
    begin = lines.index("one-by-one: 200,000 messages, one frame a system call")
    rows = lines[begin + 6 : begin + 12 : 2]
    assert [row.split()[:2] for row in rows] == [
        ["1", "ada-fast"],
        ["1", "cobol-mid"],
        ["3", "bash-slow"],
    ]
    assert "≤ 2,010 ~ 1.00× ~ 2.01×" in rows[1]
    assert "2,600 ≥ 1.30× ≥ 2.60×" in rows[2]
    assert rows[2].endswith("client CPU")


def test_published_figures_stand_with_their_ratio_to_their_winner(lines):
    assert "ada-fast      60.0  3.00×" in lines
    assert "erlang-absent 20.0  1.00× not measured here" in lines


def test_it_ends_with_who_won_and_why(lines):
    text = " ".join(lines)
    assert "ada-fast is the fastest. The next, cobol-mid, takes 1.99× as long." in text
    assert "ada-fast itself was the limit." in text
    assert "with 93.7% confidence" in text
    assert "95% confidence" not in text


def test_a_run_that_measured_nothing_can_be_printed(write_race, tmp_path):
    lines = printed(write_race(tmp_path / "empty.duckdb", attempts=0))
    assert "No library was measured." in lines
    assert "This run is not complete: 40 trials are missing." in lines


def test_it_says_that_the_instrument_is_not_calibrated(lines):
    assert "run autostrada calibrate." in " ".join(lines)


def test_a_shared_core_is_marked_at_each_table(run, tmp_path):
    with StoreWriter.create_or_open(tmp_path / "one.duckdb") as writer:
        writer.start_run(replace(run, host='{"cores": 1, "is_shared_core": "true"}'))
    lines = printed(tmp_path / "one.duckdb")
    assert sum("both ends on one core" in line for line in lines) == 2


def test_it_explains_what_is_odd_in_the_published_figures(lines):
    text = " ".join(line.strip() for line in lines)
    asked = text.index("Why did erlang-absent win by a factor of 3.0")
    assert "The clock of the client: Not measured of it." in text[asked:]
    assert "Compression: Cannot be told: it needs a workload" in text[asked:]


def test_it_says_which_published_conclusions_hold(run, tmp_path, all_trials):
    with StoreWriter.create_or_open(tmp_path / "claims.duckdb") as writer:
        run_id = writer.start_run(replace(run, published=CLAIMS))
        for trial in all_trials:
            writer.record_trial(run_id, trial)
    text = " ".join(line.strip() for line in printed(tmp_path / "claims.duckdb"))
    assert "holds: ada is twice as fast as bash." in text
    html = write_page(tmp_path / "claims.duckdb").read_text(encoding="utf-8")
    assert "ada is twice as fast as bash." in html
    assert "Their page: nobody." in html


CLAIMS = """
title = "Their page"
origin = "nobody"

[[claim]]
text = "ada is twice as fast as bash."

  [[claim.comparisons]]
  figure = "ms_per_million"
  of = { client = "bash-slow", workload = "batched" }
  to = { client = "ada-fast", workload = "batched" }
  at_least = 2
"""
