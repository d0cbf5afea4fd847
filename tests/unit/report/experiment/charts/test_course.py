"""Long trials over time, and the question that finds them."""

from dataclasses import replace

import pytest

from autostrada.experiment.matrix import Cell
from autostrada.report.experiment.charts.course import course_charts
from autostrada.report.query import ask
from autostrada.store.reader import StoreReader
from autostrada.store.record import Observation, ProcessSample, Second
from autostrada.store.writer import StoreWriter

WORKLOADS = ("json processes=1 stocks=1", "json processes=2 stocks=10")


def look(process, at_s, resident_bytes):
    unknown = dict.fromkeys(
        ("user_ns", "system_ns", "proportional_bytes", "threads", "files"), None
    )
    unknown |= dict.fromkeys(("switches_voluntary", "switches_forced"), None)
    unknown |= dict.fromkeys(("faults_minor", "faults_major"), None)
    return ProcessSample(
        process=process,
        since_start_ns=round(at_s * 1e9),
        cpu_ns=0,
        resident_bytes=resident_bytes,
        peak_resident_bytes=resident_bytes,
        **unknown,
    )


@pytest.fixture
def looks(all_market_trials, market_run, tmp_path):
    """Return what is asked of trials of so many seconds, whose memory grows."""
    measured = next(each for each in all_market_trials if not each.is_warm_up)

    def make(seconds):
        path = tmp_path / f"{seconds}.duckdb"
        with StoreWriter.create_or_open(path) as writer:
            run_id = writer.start_run(market_run)
            for workload in WORKLOADS:
                trial = replace(
                    measured,
                    cell=Cell(server="ada-server", workload=workload),
                    outcome=replace(
                        measured.outcome,
                        seconds=tuple(
                            Second(
                                process="client",
                                second=second,
                                messages=100 * (second % 2),
                                bytes=1,
                            )
                            for second in range(seconds)
                        ),
                    ),
                    observation=Observation(
                        process_samples=tuple(
                            look("server", at_s, at_s * 2**20)
                            for at_s in range(-1, seconds + 1)
                        )
                    ),
                )
                writer.record_trial(run_id, trial)
        with StoreReader.open(path) as reader:
            return ask(reader, "over_time", run_id)

    return make


def test_short_trials_are_left_out(looks):
    assert looks(10) == []
    assert list(course_charts([])) == []


def test_messages_that_come_every_two_seconds_make_an_even_line(looks):
    rows = [row for row in looks(600) if row["figure"] == "received_per_s"]
    assert {row["value"] for row in rows} == {50}
    assert len(rows) == 2 * 100


def test_memory_is_the_most_of_each_step(looks):
    rows = [row for row in looks(600) if row["figure"] == "server_memory_bytes"]
    first = next(row for row in rows if row["at_s"] == 0)
    assert first["value"] == 5 * 2**20
    assert rows[-1]["value"] == 600 * 2**20


def test_of_a_sweep_the_largest_cell_is_drawn(looks):
    charts = list(course_charts(looks(60)))
    assert [chart.title for chart in charts] == [
        "memory of the server, over the time of one trial",
        "messages received a second, over the time of one trial",
    ]
    [key] = charts[0].legend
    assert key.label == "ada-server in json processes=2 stocks=10"
