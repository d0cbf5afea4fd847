"""A metric is declared once and then shown, compared, gated and stored."""

from dataclasses import replace

import duckdb
from tests.unit.report.records import read

from autostrada.report.compare.comparison import compare
from autostrada.report.compare.gate import check_condition, parse_gate
from autostrada.report.compare.runs import CONDITIONS
from autostrada.report.compare.side import parse_address, read_side
from autostrada.report.pages.run_page import write_page
from autostrada.report.terminal import print_tables
from autostrada.stats.metrics import METRICS, Group, Metric

EXAMPLE = Metric(
    name="example_per_s",
    title="examples a second",
    unit="per_s",
    better="higher",
    group=Group.THROUGHPUT,
    kinds="push",
    meaning="messages, counted twice",
    client="2 * messages / (duration_ns / 1e9)",
)


def test_a_line_of_the_registry_is_used_everywhere(
    race_path, printed, tmp_path, monkeypatch
):
    monkeypatch.setitem(METRICS, EXAMPLE.name, EXAMPLE)
    assert "examples" in printed(print_tables, read(race_path), width=100)
    html = write_page(race_path, tmp_path / "race.html")
    assert "examples a second" in html.read_text(encoding="utf-8")

    with duckdb.connect() as connection:
        [(highest,)] = connection.execute(
            f"SELECT max(value) FROM '{tmp_path / 'race.parquet'}' "
            f"WHERE metric = 'example_per_s' AND client = 'ada-fast'"
        ).fetchall()
    assert highest == 2e9 / 196

    sides = [
        read_side(parse_address(name, race_path)) for name in ("ada-fast", "bash-slow")
    ]
    condition = parse_gate("example_per_s < -50%", CONDITIONS)
    checked = check_condition(condition, compare(*sides).metrics)
    [line] = checked.failed
    assert line.startswith("batched: ")


def test_a_recorded_metric_is_shown_on_the_terminal(market_path, printed, monkeypatch):
    new_metric = Metric(
        name="mood_of_the_author",
        title="mood of the author",
        short="mood",
        unit="count",
        better="higher",
        group=Group.LOSSES,
        kinds="open loop",
        meaning="how it went",
    )
    monkeypatch.setitem(METRICS, new_metric.name, new_metric)
    lines = printed(print_tables, read(market_path), width=100).splitlines()
    assert any(line.startswith("cell ") and "mood" in line for line in lines)
    elsewhere = replace(new_metric, terminal=("ranking",))
    monkeypatch.setitem(METRICS, new_metric.name, elsewhere)
    lines = printed(print_tables, read(market_path), width=100).splitlines()
    assert not any(line.startswith("cell ") and "mood" in line for line in lines)
